#include "engine/regions/region_invariants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/regions/region_builders.h"

namespace hourcell::region_invariants_test {
namespace {

using enum RegionFault;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<RegionFault> FaultsOf(const std::vector<RegionInfo>& regions) {
  std::vector<RegionFault> faults;
  for (const RegionFinding& finding : CheckInvariants(regions))
    faults.push_back(finding.fault);
  return faults;
}

TEST(RegionInvariantsTest, TilingHasNoFindings) {
  EXPECT_THAT(FaultsOf(TiledRegions({})), IsEmpty());
  EXPECT_THAT(FaultsOf(TiledRegions({"b", "d", "f"})), IsEmpty());
}

TEST(RegionInvariantsTest, TableHasARegion) {
  EXPECT_THAT(FaultsOf({}), ElementsAre(kNoRegion));
}

TEST(RegionInvariantsTest, EndsAreOpen) {
  EXPECT_THAT(FaultsOf({OpenRegion("a", "b", 1), OpenRegion("b", "", 2)}),
              ElementsAre(kFirstStartNotEmpty));
  EXPECT_THAT(FaultsOf({OpenRegion("", "b", 1), OpenRegion("b", "c", 2)}),
              ElementsAre(kLastEndNotEmpty));
}

TEST(RegionInvariantsTest, FindsAHole) {
  const std::vector<RegionInfo> regions = {OpenRegion("", "b", 1), OpenRegion("c", "", 2)};

  const auto findings = CheckInvariants(regions);

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].fault, kHole);
  EXPECT_EQ(findings[0].index, 1U);
  EXPECT_EQ(findings[0].text, "hole between region data.1 [, b) and region data.2 [c, )");
}

TEST(RegionInvariantsTest, FindsOverlaps) {
  EXPECT_THAT(FaultsOf({OpenRegion("", "c", 1), OpenRegion("b", "", 2)}), ElementsAre(kOverlap));
  EXPECT_THAT(FaultsOf({OpenRegion("", "", 1), OpenRegion("b", "", 2)}), ElementsAre(kOverlap));
  EXPECT_THAT(FaultsOf({OpenRegion("", "b", 1), OpenRegion("", "b", 2), OpenRegion("b", "", 3)}),
              ElementsAre(kOverlap));
}

TEST(RegionInvariantsTest, FindsARangeWithoutKeys) {
  EXPECT_THAT(FaultsOf({OpenRegion("", "b", 1), OpenRegion("b", "b", 2), OpenRegion("b", "", 3)}),
              ElementsAre(kEmptyRange));
}

TEST(RegionInvariantsTest, FindsRegionsWhoseKeysAreOthers) {
  for (const RegionState state : {RegionState::kSplit, RegionState::kMerged,
                                  RegionState::kSplittingNew, RegionState::kMergingNew}) {
    std::vector<RegionInfo> regions = TiledRegions({"b"});
    regions[1].state = state;
    EXPECT_THAT(FaultsOf(regions), ElementsAre(kBadState)) << RegionStateName(state);
  }
}

TEST(RegionInvariantsTest, FindsAnotherTable) {
  std::vector<RegionInfo> regions = TiledRegions({"b"});
  regions[1].table = "annotation";

  EXPECT_THAT(FaultsOf(regions), ElementsAre(kOtherTable));
}

TEST(RegionInvariantsTest, FindsDuplicateIds) {
  std::vector<RegionInfo> regions = TiledRegions({"b"});
  regions[1].id = regions[0].id;
  regions[1].column_family = "data.other";

  EXPECT_THAT(FaultsOf(regions), ElementsAre(kDuplicateId));
}

TEST(RegionInvariantsTest, FindsSharedColumnFamilies) {
  std::vector<RegionInfo> regions = TiledRegions({"b"});
  regions[1].column_family = "data.1";

  const auto findings = CheckInvariants(regions);

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].fault, kDuplicateColumnFamily);
  EXPECT_THAT(findings[0].text, HasSubstr("has column family data.1 too"));
}

TEST(RegionInvariantsTest, FindsParentsThatAreNotOlder) {
  std::vector<RegionInfo> regions = TiledRegions({"b"});
  regions[0].id = {10};
  regions[0].parents = {{9}, {10}};

  EXPECT_THAT(FaultsOf(regions), ElementsAre(kIdNotMonotone));
}

TEST(RegionInvariantsTest, ReportsAllFaultsAtOnce) {
  std::vector<RegionInfo> regions = {OpenRegion("a", "b", 1), OpenRegion("c", "d", 1)};
  regions[0].state = RegionState::kSplit;

  EXPECT_THAT(FaultsOf(regions),
              ElementsAre(kFirstStartNotEmpty, kBadState, kHole, kLastEndNotEmpty, kDuplicateId,
                          kDuplicateColumnFamily));
}

}  // namespace
}  // namespace hourcell::region_invariants_test
