#include "engine/regions/presplit/digit_string.h"

#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::digit_string_test {
namespace {

DigitString Of(uint64_t value, uint32_t base) {
  DigitString number{.base = base, .digits = {}};
  for (; value > 0; value /= base)
    number.digits.insert(number.digits.begin(), static_cast<uint8_t>(value % base));
  return number;
}

uint64_t ValueOf(const DigitString& number) {
  uint64_t value = 0;
  for (const uint8_t digit : number.digits)
    value = value * number.base + digit;
  return value;
}

TEST(DigitStringTest, ComputesAsIntegersDo) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const uint32_t base = static_cast<uint32_t>(2 + random.Below(255));
    const uint64_t b = random.Next() >> (2 + random.Below(62));
    const uint64_t a = b + (random.Next() >> (2 + random.Below(62)));
    const auto factor = static_cast<uint32_t>(1 + random.Below(65'536));
    const DigitString left = Of(a, base);
    const DigitString right = Of(b, base);

    EXPECT_EQ(ValueOf(Sum(left, right)), a + b);
    EXPECT_EQ(ValueOf(Difference(left, right)), a - b);
    EXPECT_EQ(ValueOf(Successor(left)), a + 1);
    EXPECT_EQ(ValueOf(Quotient(left, factor)), a / factor);
    EXPECT_EQ(ValueOf(Product(Quotient(left, factor), factor)), a / factor * factor);
    EXPECT_EQ(CompareNumbers(left, right), a > b ? 1 : 0);
    EXPECT_EQ(CompareNumbers(right, left), a > b ? -1 : 0);
    EXPECT_TRUE(IsAtLeast(left, a));
    EXPECT_EQ(IsAtLeast(left, b), true);
    EXPECT_FALSE(IsAtLeast(left, a + 1));
  }
}

TEST(DigitStringTest, CarriesIntoNewDigits) {
  const DigitString all{.base = 256, .digits = {0xFF, 0xFF}};

  EXPECT_EQ(Successor(all).digits, (std::vector<uint8_t>{1, 0, 0}));
  EXPECT_EQ(Product(all, 65'536).digits, (std::vector<uint8_t>{0xFF, 0xFF, 0, 0}));
  EXPECT_EQ(Successor({.base = 10, .digits = {}}).digits, (std::vector<uint8_t>{1}));
}

TEST(DigitStringTest, LeadingZerosDoNotCount) {
  const DigitString wide{.base = 10, .digits = {0, 0, 7}};
  const DigitString narrow{.base = 10, .digits = {7}};

  EXPECT_EQ(CompareNumbers(wide, narrow), 0);
  EXPECT_EQ(Difference(narrow, wide).digits, (std::vector<uint8_t>{0, 0, 0}));
  EXPECT_EQ(WithWidth(wide, 1).digits, narrow.digits);
  EXPECT_EQ(WithWidth(narrow, 3).digits, wide.digits);
}

TEST(DigitStringTest, IsAtLeastKnowsNumbersBeyond64Bits) {
  const DigitString huge{.base = 256, .digits = std::vector<uint8_t>(9, 0xFF)};
  const DigitString padded{.base = 256, .digits = {0, 0, 0, 0, 0, 0, 0, 0, 0, 5}};

  EXPECT_TRUE(IsAtLeast(huge, UINT64_MAX));
  EXPECT_TRUE(IsAtLeast(padded, 5));
  EXPECT_FALSE(IsAtLeast(padded, 6));
  EXPECT_TRUE(IsAtLeast({.base = 10, .digits = {}}, 0));
}

}  // namespace
}  // namespace hourcell::digit_string_test
