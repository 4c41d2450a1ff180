#include "engine/regions/split/normalizer.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/engine/regions/region_builders.h"

namespace hourcell::normalizer_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kNowMs = 1'700'000'000'000;
using Merges = std::vector<std::vector<size_t>>;

// Regions of these sizes in key order, all as old as can be.
std::vector<NormalizerRegion> RegionsOf(const std::vector<uint64_t>& sizes_mib) {
  std::vector<std::string> keys;
  for (size_t i = 1; i < sizes_mib.size(); ++i)
    keys.push_back(fmt::format("k{:04}", i));
  std::vector<NormalizerRegion> regions;
  for (const RegionInfo& region : TiledRegions(keys))
    regions.push_back({.region = region, .bytes = sizes_mib[regions.size()] * kMiB});
  return regions;
}

NormalizerPlan Plan(const std::vector<NormalizerRegion>& regions,
                    const NormalizerSettings& settings = {}) {
  return PlanNormalization(regions, settings, kNowMs);
}

TEST(NormalizerTest, EmptyTableHasNoPlan) {
  EXPECT_THAT(Plan({}).merges, IsEmpty());
}

TEST(NormalizerTest, MergesSmallNeighboursAndSplitsLargeRegions) {
  const NormalizerPlan plan = Plan(RegionsOf({3, 1, 1, 30, 9, 3, 1, 0}));

  EXPECT_DOUBLE_EQ(plan.average_bytes, 6.0 * kMiB);
  EXPECT_THAT(plan.splits, ElementsAre(3));
  EXPECT_EQ(plan.merges, (Merges{{0, 1, 2}, {5, 6, 7}}));
  EXPECT_THAT(plan.reasons,
              ElementsAre("", "", "", "", HasSubstr("with a neighbour more than the"), "", "", ""));
}

TEST(NormalizerTest, SortsByStartKeyAndNotByOrderOfTheList) {
  std::vector<NormalizerRegion> regions = RegionsOf({15, 5, 5, 15, 16});
  std::swap(regions[1], regions[4]);

  EXPECT_EQ(Plan(regions).merges, (Merges{{4, 2}}));
}

TEST(NormalizerTest, EmptyRegionTakesALargeNeighbour) {
  EXPECT_EQ(Plan(RegionsOf({0, 10, 8, 8})).merges, (Merges{{0, 1}}));
  EXPECT_EQ(Plan(RegionsOf({10, 0, 8, 8})).merges, (Merges{{0, 1}}));
}

TEST(NormalizerTest, RegionsThatATtlLeavesEmptyBecomeOne) {
  const NormalizerPlan plan = Plan(RegionsOf({0, 0, 0, 0, 0, 50, 60}));

  EXPECT_EQ(plan.merges, (Merges{{0, 1, 2, 3, 4}}));
}

TEST(NormalizerTest, ARegionToBeSplitIsNotMerged) {
  const NormalizerPlan plan = Plan(RegionsOf({0, 100, 1, 1, 1}));

  EXPECT_THAT(plan.splits, ElementsAre(1));
  EXPECT_EQ(plan.merges, (Merges{{2, 3, 4}}));
}

TEST(NormalizerTest, PinnedRegionsStay) {
  std::vector<NormalizerRegion> regions = RegionsOf({0, 0, 0, 0});
  regions[1].region.pinned_until_ms = kNowMs + 5;

  const NormalizerPlan plan = Plan(regions);

  EXPECT_EQ(plan.merges, (Merges{{2, 3}}));
  EXPECT_EQ(plan.reasons[1], "pinned for 5 ms more");
  regions[1].region.pinned_until_ms = kNowMs;
  EXPECT_EQ(Plan(regions).merges, (Merges{{0, 1, 2, 3}}));
}

TEST(NormalizerTest, YoungRegionsStay) {
  std::vector<NormalizerRegion> regions = RegionsOf({0, 0, 0});
  regions[2].region.id = {kNowMs - 1'000};

  const NormalizerPlan plan = Plan(regions);

  EXPECT_EQ(plan.merges, (Merges{{0, 1}}));
  EXPECT_EQ(plan.reasons[2], "1000 ms old; merges from 259200000");
}

TEST(NormalizerTest, RegionsThatAreNotOpenStay) {
  std::vector<NormalizerRegion> regions = RegionsOf({1, 1, 100, 1, 1});
  regions[0].region.state = RegionState::kSplitting;
  regions[2].region.state = RegionState::kClosed;

  const NormalizerPlan plan = Plan(regions);

  EXPECT_THAT(plan.splits, IsEmpty());
  EXPECT_EQ(plan.merges, (Merges{{3, 4}}));
  EXPECT_EQ(plan.reasons[0], "is SPLITTING; expected OPEN");
}

TEST(NormalizerTest, ASplitByLoadIsNotUndoneAtOnce) {
  std::vector<NormalizerRegion> regions = RegionsOf({1, 1, 9});
  regions[0].load_split_ms = kNowMs - 3'599'999;

  EXPECT_THAT(Plan(regions).merges, IsEmpty());
  EXPECT_THAT(Plan(regions).reasons[0], HasSubstr("split for its load 3599999 ms ago"));
  regions[0].load_split_ms = kNowMs - 3'600'000;
  EXPECT_EQ(Plan(regions).merges, (Merges{{0, 1}}));
}

TEST(NormalizerTest, AMergeStaysBelowTheSplitThreshold) {
  std::vector<NormalizerRegion> regions = RegionsOf({30, 30, 200});
  for (NormalizerRegion& region : regions)
    region.split_threshold_bytes = 100 * kMiB;
  EXPECT_EQ(Plan(regions).merges, (Merges{{0, 1}}));

  regions[1].split_threshold_bytes = 99 * kMiB;

  EXPECT_THAT(Plan(regions).merges, IsEmpty());
}

TEST(NormalizerTest, LongRunsAreCut) {
  NormalizerSettings settings;
  settings.merge_count_max = 2;

  EXPECT_EQ(Plan(RegionsOf({0, 0, 0, 0, 0}), settings).merges, (Merges{{0, 1}, {2, 3}}));
}

TEST(NormalizerTest, OnlyNeighboursMerge) {
  std::vector<NormalizerRegion> regions = RegionsOf({0, 0, 0, 0});
  regions[1].region.range.end = "k0001z";

  EXPECT_EQ(Plan(regions).merges, (Merges{{0, 1}, {2, 3}}));
}

TEST(NormalizerTest, SaysWhyATableHasNoMerges) {
  NormalizerSettings off;
  off.is_enabled = false;
  NormalizerSettings no_merges;
  no_merges.allow_merges = false;

  EXPECT_EQ(Plan(RegionsOf({1, 1}), off).reasons[0], "normaliser is off");
  EXPECT_EQ(Plan(RegionsOf({1, 1}), no_merges).reasons[0], "merges are switched off");
  EXPECT_EQ(Plan(RegionsOf({1, 1})).reasons[0], "table of 2 regions; merges from 3");
}

// Applies plans until nothing changes; splits halve.
size_t RoundsUntilStable(std::vector<uint64_t> sizes, size_t rounds_max) {
  for (size_t round = 0; round < rounds_max; ++round) {
    const NormalizerPlan plan = Plan(RegionsOf(sizes));
    if (plan.splits.empty() && plan.merges.empty()) return round;
    std::vector<uint64_t> next;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const auto merge = std::find_if(plan.merges.begin(), plan.merges.end(), [&](const auto& run) {
        return std::find(run.begin(), run.end(), i) != run.end();
      });
      if (std::find(plan.splits.begin(), plan.splits.end(), i) != plan.splits.end()) {
        next.insert(next.end(), {sizes[i] / 2, sizes[i] - sizes[i] / 2});
      } else if (merge == plan.merges.end() || merge->front() == i) {
        next.push_back(sizes[i]);
      } else {
        next.back() += sizes[i];
      }
    }
    sizes = std::move(next);
  }
  return rounds_max;
}

TEST(NormalizerTest, ComesToRestAfterAFewRounds) {
  constexpr uint64_t kSeed = 20240561;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int i = 0; i < 50; ++i) {
    std::vector<uint64_t> sizes(3 + random.Below(40));
    for (uint64_t& size : sizes)
      size = random.Below(3) == 0 ? 0 : random.Below(1'000);
    ASSERT_LT(RoundsUntilStable(sizes, 40), 40U) << testing::PrintToString(sizes);
  }
}

}  // namespace
}  // namespace hourcell::normalizer_test
