#include "engine/regions/split/split_restriction.h"

#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::split_restriction_test {
namespace {

SplitRestriction Prefix(uint64_t length) {
  return {.kind = RestrictionKind::kKeyPrefix, .prefix_length = length};
}

SplitRestriction Delimited(std::string delimiter) {
  return {.kind = RestrictionKind::kDelimitedKeyPrefix, .delimiter = std::move(delimiter)};
}

TEST(SplitRestrictionTest, PrefixIsTheFirstBytes) {
  EXPECT_EQ(Prefix(2).Truncate("abcd"), "ab");
  EXPECT_EQ(Prefix(9).Truncate("abcd"), "abcd");
  EXPECT_EQ(Prefix(0).Truncate("abcd"), "abcd");
}

TEST(SplitRestrictionTest, DelimitedIsWhatStandsBeforeTheFirstDelimiter) {
  EXPECT_EQ(Delimited("_").Truncate("user7_click_55"), "user7");
  EXPECT_EQ(Delimited("::").Truncate("a:b::c"), "a:b");
  EXPECT_EQ(Delimited("_").Truncate("abc"), "abc");
  EXPECT_EQ(Delimited("_").Truncate("_abc"), "");
  EXPECT_EQ(Delimited("").Truncate("a_b"), "a_b");
}

TEST(SplitRestrictionTest, NoneLeavesKeysAlone) {
  EXPECT_FALSE(SplitRestriction{}.is_active());
  EXPECT_FALSE(Prefix(0).is_active());
  EXPECT_FALSE(Delimited("").is_active());
  EXPECT_EQ(SplitRestriction{}.Truncate("abc"), "abc");
}

TEST(SplitRestrictionTest, GroupEndIsAboveTheGroup) {
  EXPECT_EQ(Prefix(2).GroupEnd("abcd"), "ac");
  EXPECT_EQ(Prefix(2).GroupEnd("a\xFFz"), "b");
  EXPECT_EQ(Prefix(2).GroupEnd("\xFF\xFFz"), "");
  EXPECT_EQ(Prefix(4).GroupEnd("ab"), std::string("ab\0", 3));
  EXPECT_EQ(Delimited(",").GroupEnd("ab,cd"), "ab-");
  EXPECT_EQ(Delimited(",").GroupEnd("ab"), std::string("ab\0", 3));
  EXPECT_EQ(Delimited(",").GroupEnd(",cd"), "-");
}

TEST(SplitRestrictionTest, GroupStartIsNeverEmpty) {
  EXPECT_EQ(Prefix(2).GroupStart("abcd"), "ab");
  EXPECT_EQ(Delimited(",").GroupStart("ab,cd"), "ab");
  EXPECT_EQ(Delimited(",").GroupStart(",cd"), ",");
}

TEST(SplitRestrictionTest, GroupLiesBetweenItsStartAndItsEnd) {
  constexpr uint64_t kSeed = 20240511;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  const auto key = [&] {
    std::string text;
    for (uint64_t size = 1 + random.Below(5); size > 0; --size)
      text += ",a\xFF\x01"[random.Below(4)];
    return text;
  };
  for (const SplitRestriction& restriction : {Prefix(2), Delimited(",")}) {
    for (int i = 0; i < 2000; ++i) {
      const std::string one = key();
      const std::string other = key();
      const bool is_same_group = restriction.Truncate(one) == restriction.Truncate(other) &&
                                 (restriction.kind == RestrictionKind::kKeyPrefix ||
                                  (one.find(',') == one.npos) == (other.find(',') == other.npos));
      const std::string end = restriction.GroupEnd(one);
      ASSERT_LE(restriction.GroupStart(one), one);
      ASSERT_TRUE(end.empty() || one < end);
      if (!is_same_group) continue;
      ASSERT_LE(restriction.GroupStart(one), other);
      ASSERT_TRUE(end.empty() || other < end)
          << testing::PrintToString(one) << " " << testing::PrintToString(other);
    }
  }
}

}  // namespace
}  // namespace hourcell::split_restriction_test
