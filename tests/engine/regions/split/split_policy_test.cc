#include "engine/regions/split/split_policy.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::split_policy_test {
namespace {

using testing::HasSubstr;

constexpr uint64_t kMiB = 1 << 20;

SplitSettings Settings(SplitPolicyKind kind) {
  SplitSettings settings = HBaseSplitSettings();
  settings.policy = kind;
  settings.jitter = 0;
  return settings;
}

SplitDecision Decide(const SplitSettings& settings,
                     const RegionFacts& region,
                     const TableFacts& table = {}) {
  return MakeSplitPolicy(settings)->Decide(region, table);
}

RegionFacts OfSize(uint64_t bytes) {
  return {.size = SizeOfStore(bytes)};
}

// The threshold with `regions` regions of the table.
uint64_t Threshold(const SplitSettings& settings, uint64_t regions) {
  return Decide(settings, {}, {.regions = regions}).threshold_bytes;
}

TEST(SplitPolicyTest, SplitsAboveTheThresholdOnly) {
  SplitSettings settings = Settings(SplitPolicyKind::kConstantSize);
  settings.max_bytes = 1'024;

  const SplitDecision at = Decide(settings, OfSize(1'024));
  const SplitDecision above = Decide(settings, OfSize(1'025));

  EXPECT_FALSE(at.should_split);
  EXPECT_EQ(at.reason, "1024 bytes, not more than 1024");
  EXPECT_TRUE(above.should_split);
  EXPECT_EQ(above.cause, SplitCause::kSize);
  EXPECT_EQ(above.reason, "1025 bytes, more than 1024");
}

TEST(SplitPolicyTest, IncreasingGrowsWithTheCubeOfTheRegions) {
  const SplitSettings settings = Settings(SplitPolicyKind::kIncreasingToUpperBound);

  EXPECT_EQ(Threshold(settings, 1), 256 * kMiB);
  EXPECT_EQ(Threshold(settings, 2), 2'048 * kMiB);
  EXPECT_EQ(Threshold(settings, 3), 6'912 * kMiB);
  EXPECT_EQ(Threshold(settings, 4), 10'240 * kMiB);
  EXPECT_EQ(Threshold(settings, 0), 10'240 * kMiB);
  EXPECT_EQ(Threshold(settings, 101), 10'240 * kMiB);
}

TEST(SplitPolicyTest, IncreasingCanHaveTheOldSquare) {
  SplitSettings settings = Settings(SplitPolicyKind::kIncreasingToUpperBound);
  settings.exponent = 2;

  EXPECT_EQ(Threshold(settings, 1), 128 * kMiB);
  EXPECT_EQ(Threshold(settings, 8), 8'192 * kMiB);
  EXPECT_EQ(Threshold(settings, 9), 10'240 * kMiB);
}

TEST(SplitPolicyTest, IncreasingDoesNotOverflow) {
  SplitSettings settings = Settings(SplitPolicyKind::kIncreasingToUpperBound);
  settings.max_bytes = INT64_MAX;
  settings.initial_bytes = uint64_t{1} << 60;

  EXPECT_EQ(Threshold(settings, 1), uint64_t{1} << 60);
  EXPECT_EQ(Threshold(settings, 100), uint64_t{INT64_MAX});
}

TEST(SplitPolicyTest, SteppingIsSmallForTheFirstRegionOnly) {
  const SplitSettings settings = Settings(SplitPolicyKind::kStepping);

  EXPECT_EQ(Threshold(settings, 1), 256 * kMiB);
  EXPECT_EQ(Threshold(settings, 2), 10'240 * kMiB);
}

TEST(SplitPolicyTest, DisabledRefusesUsersToo) {
  RegionFacts region = OfSize(uint64_t{1} << 50);
  region.is_user_request = true;

  const SplitDecision decision = Decide(Settings(SplitPolicyKind::kDisabled), region);

  EXPECT_FALSE(decision.should_split);
  EXPECT_EQ(decision.reason, "policy Disabled");
  EXPECT_EQ(decision.threshold_bytes, uint64_t{INT64_MAX});
}

TEST(SplitPolicyTest, EmptyRegionIsSplitByAUserOnly) {
  const SplitSettings settings = Settings(SplitPolicyKind::kStepping);
  RegionFacts region;
  EXPECT_FALSE(Decide(settings, region).should_split);

  region.is_user_request = true;

  EXPECT_EQ(Decide(settings, region).cause, SplitCause::kUser);
}

TEST(SplitPolicyTest, GatesCloseBeforeThePolicyIsAsked) {
  const SplitSettings settings = Settings(SplitPolicyKind::kStepping);
  RegionFacts closing = OfSize(uint64_t{1} << 40);
  closing.state = RegionState::kClosing;
  RegionFacts many_files = OfSize(uint64_t{1} << 40);
  many_files.files_max = 16;
  SplitSettings off = settings;
  off.is_enabled = false;

  EXPECT_EQ(Decide(settings, closing).reason, "region is CLOSING; expected OPEN");
  EXPECT_THAT(Decide(settings, many_files).reason, HasSubstr("16 files in a store"));
  EXPECT_THAT(Decide(settings, OfSize(1 << 30), {.store_regions = 1'000}).reason,
              HasSubstr("1000 regions in the store, limit 1000"));
  EXPECT_THAT(Decide(off, OfSize(1 << 30)).reason, HasSubstr("switched off"));
}

TEST(SplitPolicyTest, ManyFilesDoNotBlockIfTheSplitComesFirst) {
  SplitSettings settings = Settings(SplitPolicyKind::kStepping);
  settings.split_before_rewrite = true;
  RegionFacts region = OfSize(uint64_t{1} << 40);
  region.files_max = 16;

  EXPECT_TRUE(Decide(settings, region).should_split);
}

TEST(SplitPolicyTest, ReferencesBlockUnlessNestedOnesAreAllowed) {
  SplitSettings settings = Settings(SplitPolicyKind::kStepping);
  RegionFacts region = OfSize(uint64_t{1} << 40);
  region.has_references = true;
  region.is_user_request = true;
  EXPECT_EQ(Decide(settings, region).reason, "files still refer to the parent");

  settings.allow_nested_references = true;

  EXPECT_TRUE(Decide(settings, region).should_split);
}

TEST(SplitPolicyTest, AUserPassesLimitAndFiles) {
  const SplitSettings settings = Settings(SplitPolicyKind::kStepping);
  RegionFacts region = OfSize(1);
  region.files_max = 99;
  region.is_user_request = true;

  EXPECT_TRUE(Decide(settings, region, {.store_regions = 5'000}).should_split);
}

TEST(SplitPolicyTest, MeasuresAllStoresOrTheLargest) {
  SplitSettings settings = Settings(SplitPolicyKind::kConstantSize);
  settings.max_bytes = 1'024;
  const std::vector<uint64_t> stores = {600, 600};
  const RegionFacts region{.size = SizeOfStores(stores)};
  EXPECT_TRUE(Decide(settings, region).should_split);

  settings.measure = SizeMeasure::kLargestStore;

  EXPECT_FALSE(Decide(settings, region).should_split);
}

TEST(SplitPolicyTest, BusySplitsOldRegionsWhoseWritesAreBlocked) {
  const SplitSettings settings = Settings(SplitPolicyKind::kBusy);
  RegionFacts region = OfSize(1);
  region.blocked_share = 0.2;
  region.age_ms = 599'999;
  EXPECT_FALSE(Decide(settings, region).should_split);

  region.age_ms = 600'000;

  EXPECT_EQ(Decide(settings, region).cause, SplitCause::kBusy);
  region.blocked_share = 0.19;
  EXPECT_THAT(Decide(settings, region).reason, HasSubstr("0.190 of its writes blocked"));
}

TEST(SplitPolicyTest, BusyTakesThePointOfTheLoadIfThereIsOne) {
  const SplitSettings settings = Settings(SplitPolicyKind::kBusy);
  RegionFacts region = OfSize(1);
  region.blocked_share = 0.9;
  region.age_ms = 600'000;
  EXPECT_EQ(Decide(settings, region).place, SplitPlace::kHBase);

  const LoadVerdict load{.point = "m"};
  region.load = &load;

  EXPECT_EQ(Decide(settings, region).place, SplitPlace::kLoad);
}

TEST(SplitPolicyTest, LoadSplitsWhereTheSamplerSays) {
  const SplitSettings settings = Settings(SplitPolicyKind::kLoad);
  const LoadVerdict hot_key{.reason = "one key has most of the requests"};
  const LoadVerdict found{.point = "m", .requests_per_s = 3'000};
  RegionFacts region = OfSize(1);

  EXPECT_THAT(Decide(settings, region).reason, HasSubstr("load not measured"));
  region.load = &hot_key;
  EXPECT_THAT(Decide(settings, region).reason, HasSubstr("one key has most"));
  region.load = &found;
  const SplitDecision decision = Decide(settings, region);

  EXPECT_EQ(decision.cause, SplitCause::kLoad);
  EXPECT_EQ(decision.place, SplitPlace::kLoad);
  EXPECT_EQ(decision.reason, "3000 requests/s");
}

TEST(SplitPolicyTest, AppendingRegionsAreCutAtTheirEnd) {
  SplitSettings settings = Settings(SplitPolicyKind::kConstantSize);
  settings.max_bytes = 1;
  RegionFacts region = OfSize(2);
  region.append_share = 0.9;
  EXPECT_EQ(Decide(settings, region).place, SplitPlace::kHBase);

  settings.append.is_enabled = true;

  EXPECT_EQ(Decide(settings, region).place, SplitPlace::kEnd);
  region.append_share = 0.89;
  EXPECT_EQ(Decide(settings, region).place, SplitPlace::kHBase);
}

TEST(SplitPolicyTest, JitterIsTheRegionsOwnAndReproducible) {
  std::set<double> draws;
  for (uint64_t id = 1; id <= 1'000; ++id) {
    const double draw = JitterDraw(7, {id});
    EXPECT_EQ(draw, JitterDraw(7, {id}));
    EXPECT_GE(draw, 0);
    EXPECT_LT(draw, 1);
    draws.insert(draw);
  }
  double sum = 0;
  for (const double draw : draws)
    sum += draw;

  EXPECT_EQ(draws.size(), 1'000U);
  EXPECT_NEAR(sum / 1'000, 0.5, 0.03);
  EXPECT_NE(JitterDraw(7, {1}), JitterDraw(8, {1}));
}

TEST(SplitPolicyTest, JitterSpreadsTheMaximum) {
  SplitSettings settings = Settings(SplitPolicyKind::kConstantSize);
  settings.jitter = 0.25;
  RegionFacts region;
  region.jitter_draw = 0;

  EXPECT_EQ(Decide(settings, region).threshold_bytes, 8'960 * kMiB);
  EXPECT_EQ(JitteredBytes(INT64_MAX, 0.75, 0.25), uint64_t{INT64_MAX});
  EXPECT_EQ(JitteredBytes(UINT64_MAX, 0.5, 0.25), uint64_t{INT64_MAX});
}

TEST(RegionSizeTest, HBaseRepeatsTheRowInEachCell) {
  EXPECT_EQ(HBaseCellBytes(17, 1, 2, 1), 41U);
  EXPECT_EQ(HBaseCellBytes(0, 0, 0, 0), 20U);
}

TEST(SplitPolicyTest, AFullRegionThatIsNotWrittenToIsLeftAlone) {
  SplitSettings settings;
  settings.policy = SplitPolicyKind::kConstantSize;
  settings.max_bytes = 100;
  settings.jitter = 0;
  RegionFacts region;
  region.is_cold = true;
  const auto decide = [&](uint64_t bytes) {
    region.size = SizeOfStore(bytes);
    return MakeSplitPolicy(settings)->Decide(region, {}).should_split;
  };
  EXPECT_FALSE(decide(101));
  EXPECT_FALSE(decide(150));
  EXPECT_TRUE(decide(151));
  region.is_user_request = true;
  EXPECT_TRUE(decide(101));
  region.is_user_request = false;
  settings.append.is_enabled = false;
  EXPECT_TRUE(decide(101));
}

}  // namespace
}  // namespace hourcell::split_policy_test
