#include "bench/lab/simulate/report/prediction.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/simulate/sources.h"
#include "tests/support/status_matchers.h"

namespace hourcell::prediction_test {
namespace {

using testing::HasSubstr;

std::vector<Prediction> Foretell(const SimulationDesign& design, const PutSourceFactory& source) {
  const auto result = RunSimulation(design, source);
  EXPECT_OK(result);
  return result.ok() ? Predict(*result) : std::vector<Prediction>();
}

// The text of the first of that kind; empty if there is none.
std::string TextOf(const std::vector<Prediction>& predictions, PredictionKind kind) {
  for (const Prediction& prediction : predictions) {
    if (prediction.kind == kind) return prediction.text;
  }
  return "";
}

ModelSettings Small() {
  ModelSettings settings;
  settings.regions.split.flush_bytes = 20'000;
  settings.regions.split.max_bytes = 100'000;
  settings.regions.split.daughter_bytes_min = 1'000;
  return settings;
}

TEST(PredictionTest, ADominantRowIsNamed) {
  SimulationDesign design{.layout = "metric", .settings = Small()};
  design.settings.cells.model = CellModel::kHBase;
  const auto predictions =
      Foretell(design, Fleet("metrics=1,tags=host:10,interval=10s,duration=1d"));

  EXPECT_THAT(TextOf(predictions, PredictionKind::kDominantRow),
              HasSubstr("in the row \"\\x00\\x00\\x01\" and cannot be split"));
  EXPECT_TRUE(predictions[0].is_warning);
}

TEST(PredictionTest, AShortPrefixIsNamed) {
  SimulationDesign design{.settings = Small()};
  design.settings.regions.split.policy = SplitPolicyKind::kKeyPrefix;
  design.settings.regions.split.policy_prefix_length = 3;
  const auto fleet = Fleet("metrics=1,tags=host:100,interval=10s,duration=2d", FleetSteps::kRows);

  EXPECT_THAT(TextOf(Foretell(design, fleet), PredictionKind::kPrefixTooShort),
              HasSubstr("use a longer prefix"));

  design.settings.regions.split.policy_prefix_length = 7;
  EXPECT_EQ(TextOf(Foretell(design, fleet), PredictionKind::kPrefixTooShort), "");
}

TEST(PredictionTest, TimeInFrontIsAHotRegion) {
  SimulationDesign design{.layout = "time-first", .presplit = "salt", .settings = Small()};
  design.presplit = "uniform:4";
  const auto fleet = Fleet("tags=host:50,interval=1m,duration=6h", FleetSteps::kRows);

  const auto predictions = Foretell(design, fleet);
  EXPECT_THAT(TextOf(predictions, PredictionKind::kHotRegion),
              HasSubstr("because keys begin with the time"));
  EXPECT_THAT(TextOf(predictions, PredictionKind::kUnusedRegions),
              HasSubstr("the pre-split uniform:4 is not for these keys"));

  design.layout = "salted:4";
  design.presplit = "salt";
  EXPECT_EQ(TextOf(Foretell(design, fleet), PredictionKind::kHotRegion), "");
  EXPECT_EQ(TextOf(Foretell(design, fleet), PredictionKind::kUnusedRegions), "");
}

TEST(PredictionTest, ATtlLeavesEmptyRegions) {
  SimulationDesign design{.layout = "time-first", .settings = Small()};
  design.settings.ttl_ms = 6 * 3'600'000;
  design.settings.regions.normalizer.is_enabled = false;
  const auto fleet = Fleet("tags=host:100,interval=10s,duration=3d", FleetSteps::kRows);

  EXPECT_THAT(TextOf(Foretell(design, fleet), PredictionKind::kEmptyRegions),
              HasSubstr("regions are empty after the TTL"));

  design.settings.regions.normalizer.is_enabled = true;
  design.settings.regions.normalizer.merge_age_ms_min = 3'600'000;
  // Those that were emptied, or merged, within the last hour or two wait for the next plan.
  const auto merged = RunSimulation(design, fleet);
  ASSERT_OK(merged);
  EXPECT_LE(merged->empty_regions(), 4U);
  EXPECT_GT(merged->timeline.count(IncidentKind::kSplit), 40U);
}

TEST(PredictionTest, FewSeriesDoNotFillBuckets) {
  const SimulationDesign design{.layout = "salted:16", .presplit = "salt"};

  EXPECT_THAT(TextOf(Foretell(design, Fleet("tags=host:20,interval=1m,duration=2h,skew=1.5")),
                     PredictionKind::kFewSeries),
              HasSubstr("over 16 buckets"));
}

TEST(PredictionTest, MemoryAndBlockedWrites) {
  SimulationDesign design{.layout = "salted:20", .presplit = "salt"};
  design.settings.memory_bytes = 100'000;
  design.settings.disk_bytes_per_s = 1'000;
  const auto predictions =
      Foretell(design, Fleet("tags=host:500,interval=10s,duration=6h", FleetSteps::kRows));

  EXPECT_THAT(TextOf(predictions, PredictionKind::kMemory), HasSubstr(" regions, memory for 0"));
  EXPECT_THAT(TextOf(predictions, PredictionKind::kBlockedWrites), HasSubstr("stalls"));
}

TEST(PredictionTest, AdviceOnPreSplits) {
  SimulationDesign design;
  design.settings.memory_bytes = uint64_t{16} << 30;
  const auto fleet = Fleet("tags=host:50,interval=1m,duration=1h", FleetSteps::kRows);

  EXPECT_THAT(TextOf(Foretell(design, fleet), PredictionKind::kPresplit), HasSubstr("51 regions"));

  design.presplit = "sample:10";
  EXPECT_THAT(TextOf(Foretell(design, fleet), PredictionKind::kSampleSize), HasSubstr("0.32 %"));
}

TEST(PredictionTest, CyclesHaveARule) {
  ModelSettings settings;
  settings.ttl_ms = 30 * uint64_t{86'400'000};
  settings.major_ms = 7 * uint64_t{86'400'000};
  settings.major_jitter = 0.5;

  EXPECT_EQ(CycleFault("none", settings), "");
  EXPECT_EQ(CycleFault("cyclic:period=51d,slot=1d,ttl=30d,major=7d", settings), "");
  EXPECT_THAT(CycleFault("cyclic:period=50d,slot=1d,ttl=30d,major=7d", settings),
              HasSubstr("use at least 51.0 d"));
  settings.ttl_ms = 0;
  EXPECT_THAT(CycleFault("cyclic:period=50d,slot=1d,ttl=30d,major=7d", settings),
              HasSubstr("without a TTL"));
}

}  // namespace
}  // namespace hourcell::prediction_test
