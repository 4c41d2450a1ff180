#include "engine/regions/region_info.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::region_info_test {
namespace {

using enum RegionState;
using testing::UnorderedElementsAre;

std::vector<std::string> NextOf(RegionState from) {
  std::vector<std::string> names;
  for (uint8_t to = 0; to < kRegionStateCount; ++to) {
    if (CanGo(from, RegionState{to})) names.emplace_back(RegionStateName(RegionState{to}));
  }
  return names;
}

TEST(RegionIdTest, DaughterIsYoungerThanItsParentEvenIfTheClockIsNot) {
  EXPECT_EQ(DaughterId(5000, {1000}), RegionId{5000});
  EXPECT_EQ(DaughterId(1000, {1000}), RegionId{1001});
  EXPECT_EQ(DaughterId(0, {1000}), RegionId{1001});
}

TEST(RegionIdTest, MergedIsYoungerThanAllParents) {
  const std::vector<RegionId> parents = {{30}, {10}, {20}};

  EXPECT_EQ(MergedId(parents), RegionId{31});
}

TEST(RegionRangeTest, ContainsItsStartAndNotItsEnd) {
  const RegionRange range{.start = "b", .end = "d"};

  EXPECT_FALSE(range.Contains("az"));
  EXPECT_TRUE(range.Contains("b"));
  EXPECT_TRUE(range.Contains("c\xFF"));
  EXPECT_FALSE(range.Contains("d"));
}

TEST(RegionRangeTest, EmptyBoundsAreOpen) {
  EXPECT_TRUE((RegionRange{"", ""}).Contains(""));
  EXPECT_TRUE((RegionRange{"", ""}).Contains("\xFF\xFF"));
  EXPECT_FALSE((RegionRange{"b", ""}).Contains(""));
}

TEST(RegionRangeTest, CoversWhatIsInside) {
  const RegionRange range{.start = "b", .end = "d"};

  EXPECT_TRUE(range.Covers({"b", "d"}));
  EXPECT_TRUE(range.Covers({"bb", "c"}));
  EXPECT_FALSE(range.Covers({"a", "c"}));
  EXPECT_FALSE(range.Covers({"c", ""}));
  EXPECT_TRUE((RegionRange{"", ""}).Covers({"a", ""}));
}

TEST(RegionRangeTest, OverlapsHalfOpenRanges) {
  const RegionRange range{.start = "b", .end = "d"};

  EXPECT_TRUE(range.Overlaps("a", "bb"));
  EXPECT_FALSE(range.Overlaps("a", "b"));
  EXPECT_FALSE(range.Overlaps("d", ""));
  EXPECT_TRUE(range.Overlaps("cz", ""));
  EXPECT_FALSE(range.Overlaps("c", "c"));
}

TEST(RegionRangeTest, MergedGoesFromLowestStartToHighestEnd) {
  const std::vector<RegionRange> closed = {{"c", "e"}, {"a", "c"}};
  const std::vector<RegionRange> open = {{"c", ""}, {"a", "c"}};

  EXPECT_EQ(MergedRange(closed), (RegionRange{"a", "e"}));
  EXPECT_EQ(MergedRange(open), (RegionRange{"a", ""}));
}

TEST(RegionStateTest, GoesAlongTheArrows) {
  EXPECT_THAT(NextOf(kOffline), UnorderedElementsAre("OPENING"));
  EXPECT_THAT(NextOf(kOpening), UnorderedElementsAre("OPEN", "FAILED_OPEN"));
  EXPECT_THAT(NextOf(kFailedOpen), UnorderedElementsAre("OPENING", "OFFLINE"));
  EXPECT_THAT(NextOf(kOpen), UnorderedElementsAre("CLOSING", "SPLITTING", "MERGING"));
  EXPECT_THAT(NextOf(kClosing), UnorderedElementsAre("CLOSED"));
  EXPECT_THAT(NextOf(kClosed), UnorderedElementsAre("OFFLINE", "OPENING"));
  EXPECT_THAT(NextOf(kSplitting), UnorderedElementsAre("SPLIT", "OPEN"));
  EXPECT_THAT(NextOf(kSplittingNew), UnorderedElementsAre("OPEN"));
  EXPECT_THAT(NextOf(kMerging), UnorderedElementsAre("MERGED", "OPEN"));
  EXPECT_THAT(NextOf(kMergingNew), UnorderedElementsAre("OPEN"));
}

TEST(RegionStateTest, SplitAndMergedAreTheEnd) {
  EXPECT_TRUE(NextOf(kSplit).empty());
  EXPECT_TRUE(NextOf(kMerged).empty());
}

TEST(RegionStateTest, NamesDiffer) {
  std::set<std::string_view> names;
  for (uint8_t state = 0; state < kRegionStateCount; ++state)
    names.insert(RegionStateName(RegionState{state}));

  EXPECT_EQ(names.size(), kRegionStateCount);
}

TEST(RegionStateTest, KeysBelongToTheParentUntilTheSplitIsDone) {
  EXPECT_TRUE(OwnsItsKeys(kSplitting));
  EXPECT_FALSE(OwnsItsKeys(kSplittingNew));
  EXPECT_FALSE(OwnsItsKeys(kSplit));
  EXPECT_TRUE(OwnsItsKeys(kMerging));
  EXPECT_FALSE(OwnsItsKeys(kMergingNew));
  EXPECT_FALSE(OwnsItsKeys(kMerged));
}

TEST(RegionInfoTest, ColumnFamilyIsTableAndIdUnlessNamed) {
  RegionInfo region{.table = "data", .range = {}, .id = {17}};
  EXPECT_EQ(ColumnFamilyOf(region), "data.17");

  region.column_family = "data.1";

  EXPECT_EQ(ColumnFamilyOf(region), "data.1");
}

}  // namespace
}  // namespace hourcell::region_info_test
