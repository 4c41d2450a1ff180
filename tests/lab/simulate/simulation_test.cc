#include "bench/lab/simulate/simulation.h"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/keys/key_sample.h"
#include "bench/lab/simulate/design_source.h"
#include "bench/lab/simulate/report/simulation_report.h"
#include "tests/lab/simulate/sources.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"

namespace hourcell::simulation_test {
namespace {

using testing::HasSubstr;

SimulationResult Simulate(const SimulationDesign& design, const PutSourceFactory& source) {
  auto result = RunSimulation(design, source);
  EXPECT_OK(result);
  return result.ok() ? *std::move(result) : SimulationResult{};
}

// `text` without what is from `begin` to `end`, both included, each time.
std::string Without(std::string text, std::string_view begin, std::string_view end) {
  for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at))
    text.erase(at, text.find(end, at) + end.size() - at);
  return text;
}

// FNV-1a of all that is said of a result, but for keys in words, which follow from the keys.
uint64_t SumOf(SimulationResult result) {
  result.words = {};
  std::string text = JsonText({&result, 1});
  for (const std::string_view field : {"start", "key", "heaviest_row"})
    text = Without(text, fmt::format(",\"{}_text\":", field), "\"\"");
  uint64_t sum = 0xCBF29CE484222325;
  for (const char c : Without(text, "\"row_texts\":", "],"))
    sum = (sum ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  return sum;
}

SimulationDesign SmallRegions(std::string layout, std::string distributor, std::string presplit) {
  SimulationDesign design{.layout = std::move(layout),
                          .distributor = std::move(distributor),
                          .presplit = std::move(presplit)};
  design.settings.regions.split.flush_bytes = 64 << 10;
  design.settings.regions.split.max_bytes = 1 << 20;
  design.settings.ttl_ms = 4 * 3'600'000;
  return design;
}

TEST(SimulationTest, HoursOfADayShareARow) {
  const PutSourceFactory source =
      Fleet("metrics=2,tags=host:10,interval=300s,duration=3d", FleetSteps::kRows);
  const auto rows_of = [&source](std::string layout, uint64_t day_row_points) {
    SimulationDesign design{.layout = std::move(layout)};
    design.settings.cells.day_row_points = day_row_points;
    const SimulationResult result = Simulate(design, source);
    uint64_t rows = 0;
    for (const SimulatedRegion& region : result.regions)
      rows += region.rows;
    return std::pair(rows, result.totals.written_bytes);
  };
  const auto [hour_rows, hour_bytes] = rows_of("metric+hour+tags", 0);
  const auto [day_rows, day_bytes] = rows_of("metric+day+tags", 0);

  EXPECT_EQ(hour_rows, 20u * 72);
  EXPECT_EQ(day_rows, 20u * 3);
  // A row has a key of 13 bytes, and 15 more.
  EXPECT_EQ(hour_bytes - day_bytes, 20u * 69 * 28);
  EXPECT_EQ(rows_of("salt:4+metric+day+tags", 0).first, day_rows);
  // By density: an hour has 12 points.
  EXPECT_EQ(rows_of("opentsdb", 13), std::pair(day_rows, day_bytes));
  EXPECT_EQ(rows_of("salted:4", 13).first, day_rows);
  EXPECT_EQ(rows_of("opentsdb", 12), std::pair(hour_rows, hour_bytes));
  EXPECT_EQ(rows_of("metric+tags+hour", 13).first, hour_rows);
}

// The rows of the days of a metric come before those of its hours.
TEST(SimulationTest, RowsOfDaysAreWhereAStoreHasThem) {
  SimulationDesign design{.presplit = "keys:\\x00\\x00\\x01\\x10,\\x00\\x00\\x02"};
  const SimulationResult result = Simulate(
      design, Fleet("metrics=1,tags=host:10,interval=300s,duration=1d", FleetSteps::kRows));
  ASSERT_EQ(result.regions.size(), 3u);
  EXPECT_EQ(result.regions[0].rows, 10u);
  EXPECT_EQ(result.regions[0].puts, 10u * 288);
  EXPECT_EQ(result.regions[1].puts, 0u);
}

// What makes a simulation faster must not change what it says: these run through hashes,
// flushes, LSM compactions, splits, merges and a TTL. A change of the model changes the sums, and
// its commit says why.
TEST(SimulationTest, ASeedSaysTheSameWhateverMakesItFast) {
  constexpr std::string_view kFleet =
      "metrics=5,tags=host:60/cpu:3,duration=8h,churn=3,late=0.05:2h";
  struct Case {
    SimulationDesign design;
    PutSourceFactory source;
    uint64_t sum;
  };
  const Case cases[] = {
      {SmallRegions("opentsdb", "none", ""), Fleet(kFleet, FleetSteps::kRows), 0xd6347d59c2815188},
      {SmallRegions("salted:4", "none", "salt"), Fleet(kFleet), 0x01439ef55b67faf5},
      {SmallRegions("time-first", "none", ""), Fleet(kFleet, FleetSteps::kRows),
       0x20ffa8a3808111f3},
      {SmallRegions("hash-prefix:2", "none", ""), Fleet(kFleet, FleetSteps::kRows),
       0x024b34160fe4376a},
      {SmallRegions("hex:6+hour", "round-robin:3", ""), Fleet(kFleet), 0xdef95a6c2f00539e},
      {SmallRegions("id", "md5-4hex", "hex:8"), Ids(60'000), 0xed0bab86acd9fe40},
      {SmallRegions("id", "md5-8hex", ""), Ids(60'000), 0xc357e9aa5b7518f9},
      {SmallRegions("hash:4+id", "none", "sample:6"), Ids(60'000), 0x67d73e520fdbe3f5},
  };
  // The first is of a fleet, the last of ids: with sanitizers one minute is enough.
  for (size_t i = 0; i < std::size(cases); i += kIsSanitized ? std::size(cases) - 1 : 1) {
    const Case& known = cases[i];
    const SimulationResult result = Simulate(known.design, known.source);
    EXPECT_EQ(fmt::format("{:016x}", SumOf(result)), fmt::format("{:016x}", known.sum))
        << known.design.layout << ' ' << known.design.distributor << ": " << result.regions.size()
        << " regions, " << result.steps << " steps";
  }
}

TEST(SimulationTest, PartitionsAreEvenToThePut) {
  const SimulationResult result = Simulate(
      {.layout = "id", .distributor = "partition:20", .presplit = "partition:20"}, Ids(100'000));

  ASSERT_EQ(result.regions.size(), 20U);
  for (const SimulatedRegion& region : result.regions)
    EXPECT_EQ(region.puts, 5'000U);
  EXPECT_EQ(result.max_over_mean(), 1.0);
  EXPECT_EQ(result.spread.gini, 0);
  EXPECT_EQ(result.key_bytes, 16);
}

// What the arithmetic bounds leave is the scatter of the hash.
TEST(SimulationTest, HashedIdsAreEvenOverHexBounds) {
  const SimulationResult result =
      Simulate({.layout = "id", .distributor = "md5-8hex", .presplit = "hex:10"}, Ids(100'000));

  ASSERT_EQ(result.regions.size(), 10U);
  EXPECT_EQ(result.regions[1].info.range.start, "19999999");
  EXPECT_EQ(result.totals.puts, 100'000U);
  EXPECT_LT(result.spread.relative_deviation, 3 * std::sqrt(10.0 / 100'000));
}

TEST(SimulationTest, ASampleCutsTheKeysThatCome) {
  const SimulationResult result =
      Simulate({.layout = "opentsdb", .presplit = "sample:8"},
               Fleet("metrics=20,tags=host:50,interval=1m,duration=2h", FleetSteps::kRows));

  ASSERT_EQ(result.regions.size(), 8U);
  EXPECT_LT(result.max_over_mean(), 1.2);
  EXPECT_EQ(result.split_keys.size(), 7U);
}

TEST(SimulationTest, OneMetricOfOneTimeIsOneHotRegion) {
  SimulationDesign design{.layout = "time-first", .presplit = "uniform:8"};
  const SimulationResult first =
      Simulate(design, Fleet("tags=host:50,interval=1m,duration=6h", FleetSteps::kRows));
  design.layout = "hash-prefix:2";
  const SimulationResult hashed =
      Simulate(design, Fleet("tags=host:50,interval=1m,duration=6h", FleetSteps::kRows));

  EXPECT_EQ(first.windows.mean_hot_share(), 1.0);
  EXPECT_TRUE(first.begins_with_time);
  EXPECT_LT(hashed.windows.mean_hot_share(), 0.35);
}

TEST(SimulationTest, RunsOfOneSeedAreTheSame) {
  SimulationDesign design{.layout = "salted:20", .presplit = "salt"};
  design.settings.regions.split.flush_bytes = 20'000;
  design.settings.regions.split.max_bytes = 100'000;
  design.settings.regions.split.daughter_bytes_min = 1'000;
  const auto fleet = Fleet("metrics=5,tags=host:100,interval=1m,duration=2d,skew=0.8,churn=0.3",
                           FleetSteps::kRows);
  const SimulationResult a = Simulate(design, fleet);
  const SimulationResult b = Simulate(design, fleet);

  ASSERT_EQ(a.regions.size(), b.regions.size());
  EXPECT_GT(a.timeline.count(IncidentKind::kSplit), 10U);
  for (size_t i = 0; i < a.regions.size(); ++i) {
    EXPECT_EQ(a.regions[i].info, b.regions[i].info);
    EXPECT_EQ(a.regions[i].puts, b.regions[i].puts);
    EXPECT_EQ(a.regions[i].file_bytes, b.regions[i].file_bytes);
  }
  EXPECT_EQ(a.heat.puts, b.heat.puts);
}

TEST(SimulationTest, TotalsAddUp) {
  SimulationDesign design;
  design.settings.regions.split.flush_bytes = 50'000;
  design.settings.regions.split.max_bytes = 400'000;
  design.settings.regions.split.daughter_bytes_min = 1'000;
  const SimulationResult result = Simulate(
      design, Fleet("metrics=4,tags=host:100,interval=10s,duration=1d", FleetSteps::kRows));

  EXPECT_EQ(result.totals.puts, 400 * 8'640U);
  uint64_t puts = 0;
  uint64_t rows = 0;
  uint64_t bytes = 0;
  for (const SimulatedRegion& region : result.regions) {
    puts += region.puts;
    rows += region.rows;
    bytes += region.file_bytes + region.memory_bytes;
  }
  EXPECT_EQ(puts, result.totals.puts);
  EXPECT_EQ(rows, 400 * 24U);
  EXPECT_EQ(bytes, result.totals.written_bytes);
  EXPECT_EQ(result.heat.steps > 0, true);
}

TEST(SimulationTest, RefusalsNameTheDesign) {
  const auto refused = [](const SimulationDesign& design) {
    return RunSimulation(design, Ids(10)).status();
  };
  EXPECT_THAT(refused({.name = "odd", .layout = "colour"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("design \"odd\"")));
  EXPECT_THAT(refused({.presplit = "hex:0"}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(refused({.presplit = "sample:x"}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(refused({.layout = "metric", .distributor = "partition:3"}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(SimulationWatchTest, IsToldAndEndsTheRun) {
  const FleetSpec fleet = *ParseFleet("tags=host:200,duration=1d");
  const SimulationDesign design;
  std::vector<SimulationProgress> told;
  SimulationOptions options{.key_names = KeyNamesOf(fleet)};
  options.watch = [&told](const SimulationProgress& progress) {
    told.push_back(progress);
    return absl::OkStatus();
  };
  const auto result = RunSimulation(design, FleetSource(fleet, design), options);
  ASSERT_OK(result);
  ASSERT_GE(told.size(), 4u);
  EXPECT_LT(told[0].done_ms, told.back().done_ms);
  EXPECT_GE(told[0].total_ms, 86'400'000u);
  EXPECT_EQ(told.back().steps, 4'800u);
  EXPECT_EQ(told.back().regions, 1u);
  EXPECT_EQ(result->words.Of(std::string("\0\0\1", 3)), "metric 1");

  options.watch = [](const SimulationProgress&) { return absl::CancelledError("enough"); };
  EXPECT_THAT(RunSimulation(design, FleetSource(fleet, design), options),
              StatusIs(absl::StatusCode::kCancelled, testing::HasSubstr("enough")));
  SimulationDesign sampled = design;
  sampled.presplit = "sample:4";
  EXPECT_THAT(RunSimulation(sampled, FleetSource(fleet, sampled), options),
              StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace hourcell::simulation_test
