#include "codec/value.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/qualifier.h"
#include "codec/value_bits.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::value_test {
namespace {

using ::testing::HasSubstr;

std::string Encoded(Value value) {
  std::string bytes;
  AppendValue(value, ValueFlags(value), &bytes);
  return bytes;
}

TEST(ValueTest, VectorsEncodeInt) {
  for (const TestVector& vector : LoadVectors("storage.json", "value.encode_int")) {
    SCOPED_TRACE(vector.from);
    const Value value = Value::Integer(IntOf(vector.given, "int"));
    EXPECT_EQ(ToHex(Encoded(value)), TextOf(vector.expect, "value"));
    EXPECT_EQ(ValueFlags(value), IntOf(vector.expect, "flags"));
  }
}

TEST(ValueTest, VectorsFixFloat) {
  for (const TestVector& vector : LoadVectors("storage.json", "value.fix_float")) {
    SCOPED_TRACE(vector.from);
    const auto flags = static_cast<uint8_t>(BytesOf(vector.given, "flags")[0]);
    const auto needs_repair = NeedsFloatRepair(flags, BytesOf(vector.given, "value"));
    if (vector.wants_error()) {
      EXPECT_THAT(needs_repair, StatusIs(absl::StatusCode::kDataLoss,
                                         HasSubstr("corrupted floating point value")));
    } else {
      EXPECT_THAT(needs_repair, IsOkAndHolds(bool(vector.expect["needs_fix"])));
    }
  }
}

TEST(ValueTest, OnlyAFloatFlaggedAsFourBytesInEightNeedsRepair) {
  const std::string eight = Hex("0000000040866666");
  EXPECT_THAT(NeedsFloatRepair(0xB, eight), IsOkAndHolds(true));
  EXPECT_THAT(NeedsFloatRepair(0xF, eight), IsOkAndHolds(false));
  EXPECT_THAT(NeedsFloatRepair(0x3, eight), IsOkAndHolds(false));
  EXPECT_THAT(NeedsFloatRepair(0xB, eight.substr(4)), IsOkAndHolds(false));
}

TEST(ValueTest, IntegersTakeTheFewestBytesAtEveryBoundary) {
  const auto check = [](int64_t number, size_t size) {
    SCOPED_TRACE(number);
    const Value value = Value::Integer(number);
    const std::string bytes = Encoded(value);
    EXPECT_EQ(bytes.size(), size);
    EXPECT_THAT(ParseValue(ValueFlags(value), bytes), IsOkAndHolds(value));
  };
  for (const auto& [last, size] :
       {std::pair<int64_t, size_t>{127, 1}, {32767, 2}, {2147483647, 4}}) {
    check(last, size);
    check(-last - 1, size);
    check(last + 1, 2 * size);
    check(-last - 2, 2 * size);
  }
  check(std::numeric_limits<int64_t>::max(), 8);
  check(std::numeric_limits<int64_t>::min(), 8);
}

TEST(ValueTest, FloatsTakeFourBytesExactlyWhenThatIsExact) {
  EXPECT_EQ(ToHex(Encoded(Value::Float(42.5))), "422a0000");
  EXPECT_EQ(ToHex(Encoded(Value::Float(-0.0))), "80000000");
  EXPECT_EQ(ToHex(Encoded(Value::Float(12.3))), "402899999999999a");
  EXPECT_EQ(ToHex(Encoded(Value::Float(1e39))), "48078287f49c4a1d");
  EXPECT_EQ(ToHex(Encoded(Value::Float(0x1p-149))), "00000001");
  EXPECT_EQ(ToHex(Encoded(Value::Float(0x1p-150))), "3690000000000000");
}

TEST(ValueTest, ParseReadsEightByteEncodingsOfSmallIntegers) {
  EXPECT_THAT(ParseValue(7, Hex("ffffffffffffffd6")), IsOkAndHolds(Value::Integer(-42)));
  EXPECT_THAT(ParseValue(3, Hex("ffffffd6")), IsOkAndHolds(Value::Integer(-42)));
}

TEST(ValueTest, ParseRejectsEverySizeThatTheFlagsDoNotSay) {
  const std::string bytes(9, '\x01');
  for (uint8_t flags = 0; flags < 32; ++flags) {
    for (size_t size = 0; size <= bytes.size(); ++size) {
      const bool fits = AreReadableFlags(flags) && size == (flags & kWidthMask) + size_t{1};
      EXPECT_EQ(ParseValue(flags, bytes.substr(0, size)).ok(), fits) << int{flags} << " " << size;
    }
  }
}

TEST(ValueTest, EveryBinary32ComesBackBitForBit) {
  // All exponents and signs, with mantissas that include quiet and signalling NaNs.
  for (uint32_t high = 0; high < 0x200; ++high) {
    for (const uint32_t mantissa : {0U, 1U, 2U, 0x3FFFFFU, 0x400000U, 0x400001U, 0x7FFFFFU}) {
      const uint32_t bits = high << 23 | mantissa;
      ASSERT_EQ(NarrowFloatBits(WidenFloatBits(bits)), bits) << bits;
    }
  }
  EXPECT_TRUE(std::isnan(std::bit_cast<double>(WidenFloatBits(0x7F800001))));
}

}  // namespace
}  // namespace hourcell::value_test
