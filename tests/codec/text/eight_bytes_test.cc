#include "codec/text/eight_bytes.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace hourcell {
namespace {

uint64_t Eight(std::string_view text) {
  EXPECT_EQ(text.size(), 8U);
  return LoadEight(text.data());
}

TEST(EightBytesTest, TheFirstOfTwoCharactersIsFound) {
  EXPECT_EQ(FirstOfTwo(Eight("abcdefgh"), ' ', '\n'), 8);
  EXPECT_EQ(FirstOfTwo(Eight(" bcdefgh"), ' ', '\n'), 0);
  EXPECT_EQ(FirstOfTwo(Eight("abcdefg\n"), ' ', '\n'), 7);
  EXPECT_EQ(FirstOfTwo(Eight("abc\nd fg"), ' ', '\n'), 3);
  EXPECT_EQ(FirstOfTwo(Eight("ab d\nf !"), ' ', '\n'), 2);
  EXPECT_EQ(FirstOfTwo(Eight("\xA0\x8A\xFF\x80z\x0B!\n"), ' ', '\n'), 7);
}

TEST(EightBytesTest, AnyBytesAreSearchedAsOneByOne) {
  std::mt19937_64 random(20260101);
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    // Few different bytes, among them the neighbours of those that are searched.
    constexpr std::string_view kBytes("\x09\x0A\x0B\x1F\x20\x21\x80\x8A\xA0\xFF\x00\x01", 12);
    for (int i = 0; i < 8; ++i)
      text.push_back(kBytes[random() % kBytes.size()]);
    const size_t wanted = std::min<size_t>(8, text.find_first_of(" \n"));
    ASSERT_EQ(FirstOfTwo(Eight(text), ' ', '\n'), static_cast<int>(wanted)) << "round " << round;
  }
}

TEST(EightBytesTest, OnlyDigitsAreDigits) {
  for (size_t place = 0; place < 8; ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = "09182736";
      text[place] = static_cast<char>(byte);
      EXPECT_EQ(AreDigits(Eight(text)), byte >= '0' && byte <= '9')
          << "byte " << byte << " at " << place;
    }
  }
}

TEST(EightBytesTest, DigitsHaveTheirValue) {
  EXPECT_EQ(DigitsValue(Eight("00000000")), 0U);
  EXPECT_EQ(DigitsValue(Eight("99999999")), 99999999U);
  EXPECT_EQ(DigitsValue(Eight("12345678")), 12345678U);
  for (uint32_t number = 3; number < 100000000; number += 7919) {
    std::string text = std::to_string(number);
    text.insert(0, 8 - text.size(), '0');
    ASSERT_EQ(DigitsValue(Eight(text)), number);
  }
}

}  // namespace
}  // namespace hourcell
