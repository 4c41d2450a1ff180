#include "engine/regions/presplit/split_algorithm.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "tests/support/status_matchers.h"

namespace hourcell::split_algorithm_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(SplitAlgorithmTest, TheLastRegionTakesWhatIsLeft) {
  const auto keys = SplitAlgorithm::HexString().Split(3);

  ASSERT_TRUE(keys.ok());
  EXPECT_THAT(*keys, ElementsAre("55555555", "aaaaaaaa"));
  EXPECT_THAT(*SplitAlgorithm::DecimalString().Split(7),
              ElementsAre("14285714", "28571428", "42857142", "57142856", "71428570", "85714284"));
}

TEST(SplitAlgorithmTest, OneRegionOfTextHasNoBound) {
  EXPECT_THAT(*SplitAlgorithm::HexString().Split(1), SizeIs(0));
  EXPECT_THAT(SplitAlgorithm::Uniform().Split(1).status().message(), HasSubstr("expected 2 to"));
  EXPECT_THAT(SplitAlgorithm::HexString().Split(0).status().message(),
              HasSubstr("expected 1 to 65536 regions, got 0"));
  EXPECT_FALSE(SplitAlgorithm::Uniform().Split(kPresplitRegionsMax + 1).ok());
}

TEST(SplitAlgorithmTest, TakesRowsOfAnyWidth) {
  SplitAlgorithm wide = SplitAlgorithm::HexString();
  wide.first = "0";
  wide.last = std::string(40, 'F');
  const auto keys = wide.Split(16);

  ASSERT_TRUE(keys.ok());
  EXPECT_EQ((*keys)[0], "1" + std::string(39, '0'));
  EXPECT_EQ((*keys)[14], "f" + std::string(39, '0'));
  EXPECT_EQ(*wide.Midpoint("", ""), "7" + std::string(39, 'f'));
}

TEST(SplitAlgorithmTest, RefusesWhatIsNoNumber) {
  EXPECT_THAT(SplitAlgorithm::HexString().Midpoint("00g0", "ffff").status().message(),
              HasSubstr("expected digits of base 16, got \"g\" at 2"));
  EXPECT_THAT(SplitAlgorithm::DecimalString().Midpoint("00", "0a").status().message(),
              HasSubstr("expected digits of base 10, got \"a\" at 1"));
  EXPECT_THAT(SplitAlgorithm::HexString().Midpoint("20", "10").status().message(),
              HasSubstr("expected an end above the start"));
}

TEST(SplitAlgorithmTest, CutsARangeWithAndWithoutItsEnds) {
  EXPECT_THAT(*SplitAlgorithm::HexString().SplitRange("0", "3", 4, false),
              ElementsAre("00000001", "00000002", "00000003"));
  EXPECT_THAT(*SplitAlgorithm::HexString().SplitRange("0", "3", 2, true),
              ElementsAre("00000000", "00000002", "00000003"));
  EXPECT_THAT(*SplitAlgorithm::Uniform().SplitRange("aaa", "aad", 3, true),
              ElementsAre("aaa", "aab", "aac", "aad"));
  EXPECT_THAT(SplitAlgorithm::HexString().SplitRange("0", "3", 5, false).status().message(),
              HasSubstr("expected at most one for each key"));
}

TEST(SplitBytesTest, AddsBytesUntilBoundsDiffer) {
  EXPECT_THAT(*SplitBytes("a", "b", false, 1), ElementsAre("a", "a\x80", "b"));
  EXPECT_THAT(*SplitBytes("a", "b", false, 300), SizeIs(302));
  EXPECT_EQ(ToHex((*SplitBytes("a", "b", false, 300))[1]), "6100d9");
  // [61, 62] has two keys, [61] and [62], in which one bound has room.
  EXPECT_THAT(*SplitBytes("a", "b", true, 1), ElementsAre("a", "b", "b"));
}

TEST(SplitBytesTest, TheShorterKeyGoesOnWithZeros) {
  EXPECT_EQ(ToHex((*SplitBytes("", "\x20", false, 1))[1]), "10");
  EXPECT_EQ(ToHex((*SplitBytes("\x10\x01", "\x20", false, 1))[1]), "1800");
  EXPECT_FALSE(SplitBytes("a", std::string("a\0", 2), false, 1).ok());
  EXPECT_FALSE(SplitBytes("", "", false, 1).ok());
  EXPECT_FALSE(SplitBytes("a", "b", false, 0).ok());
}

// Bounds ascend, lie between the ends and are as far from each other as one step.
TEST(SplitBytesTest, BoundsAreEvenForRandomEnds) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    std::string low;
    std::string high;
    AppendBigEndian(random.Next(), 1 + random.Below(7), &low);
    AppendBigEndian(random.Next(), 1 + random.Below(7), &high);
    if (low > high) std::swap(low, high);
    const auto bounds = static_cast<uint32_t>(1 + random.Below(50));
    const auto keys = SplitBytes(low, high, false, bounds);
    if (low == high) continue;

    ASSERT_TRUE(keys.ok()) << keys.status();
    ASSERT_THAT(*keys, SizeIs(bounds + 2));
    EXPECT_TRUE(std::is_sorted(keys->begin(), keys->end()));
    EXPECT_EQ(std::adjacent_find(keys->begin(), keys->end()), keys->end());
  }
}

}  // namespace
}  // namespace hourcell::split_algorithm_test
