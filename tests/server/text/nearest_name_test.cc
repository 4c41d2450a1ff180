#include "server/text/nearest_name.h"

#include <array>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::nearest_name_test {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"kitten", "mitten", "sitting", "bitter"};

TEST(NearestNameTest, CountsReplacedAddedAndMissingLetters) {
  using Names = std::array<std::string_view, 2>;

  EXPECT_EQ(NearestName("abcd", Names{"abcdxx", "abcx"}), "abcx");
  EXPECT_EQ(NearestName("abcdef", Names{"abcdxy", "abc-def"}), "abc-def");
  EXPECT_EQ(NearestName("abc-def", Names{"abc-dxy", "abcdef"}), "abcdef");
  EXPECT_EQ(NearestName("bitter", kNames), "bitter");
}

// Two swapped letters are two replaced ones, or one added and one missing.
TEST(NearestNameTest, SwappedLettersCountTwice) {
  EXPECT_EQ(NearestName("prot", std::array<std::string_view, 2>{"port", "pro"}), "pro");
}

TEST(NearestNameTest, TheFirstOfEqualsIsTaken) {
  EXPECT_EQ(NearestName("sitten", kNames), "kitten");
}

TEST(NearestNameTest, WhatWouldChangeByMoreThanAThirdIsNotNear) {
  EXPECT_EQ(NearestName("kitchen", kNames), "kitten");
  EXPECT_EQ(NearestName("kixxen", kNames), "kitten");
  EXPECT_EQ(NearestName("kixxxn", kNames), "");
  EXPECT_EQ(NearestName("nettik", kNames), "");
  EXPECT_EQ(NearestName("", kNames), "");
  EXPECT_EQ(NearestName(std::string(1000, 't'), kNames), "");
  EXPECT_EQ(NearestName("kitten", {}), "");
}

}  // namespace
}  // namespace hourcell::nearest_name_test
