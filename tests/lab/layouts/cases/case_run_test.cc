#include "bench/lab/layouts/cases/case_run.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/options.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::layouts::case_run_test {
namespace {

constexpr uint64_t kSeed = 20'260'101;

CaseSpec Spec(std::string_view layout,
              CellForm cell = {},
              WorkloadKind workload = WorkloadKind::kFleet) {
  return {.layout = *FindLayout(layout),
          .cell = cell,
          .workload = workload,
          .points = 40'000,
          .seed = kSeed,
          .checks_all = true};
}

CaseResult RunOk(const CaseSpec& spec) {
  SCOPED_TRACE(CaseName(spec) + ", seed " + std::to_string(spec.seed));
  const TempDir dir;
  absl::StatusOr<CaseResult> result = RunCase(spec, dir.path());
  EXPECT_OK(result);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  return result.ok() ? *std::move(result) : CaseResult{.spec = spec};
}

// The run fails if a point that is read is not the one that was written, or is missing.
class EveryLayoutTest : public testing::TestWithParam<std::string> {};

TEST_P(EveryLayoutTest, ReadsBackWhatItWroteInEveryCellForm) {
  for (const CellForm& cell : CellForms().first(4)) {
    CaseSpec spec = Spec(GetParam(), cell);
    spec.points = 8'000;
    if (!CanBeRun(spec)) continue;
    const CaseResult result = RunOk(spec);
    EXPECT_GT(result.splits, 3u);
    EXPECT_EQ(result.regions, result.splits + 1);
  }
}

TEST_P(EveryLayoutTest, ReadsBackOtherWorkloads) {
  for (const WorkloadKind workload :
       {WorkloadKind::kSingleSeries, WorkloadKind::kBackfill, WorkloadKind::kSparse})
    EXPECT_GT(RunOk(Spec(GetParam(), {}, workload)).points, 0u);
}

std::vector<std::string> LayoutNames() {
  std::vector<std::string> names;
  for (const NamedLayout& layout : NamedLayouts())
    names.emplace_back(layout.name);
  if (kIsSanitized) names.resize(3);  // all go the same ways through the code
  return names;
}

INSTANTIATE_TEST_SUITE_P(Layouts,
                         EveryLayoutTest,
                         testing::ValuesIn(LayoutNames()),
                         [](const testing::TestParamInfo<std::string>& layout) {
                           std::string name = layout.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(CaseRunTest, ReadsBackMillisecondsHotSeriesAndWideTags) {
  for (const CellForm& cell : CellForms().subspan(4)) {
    for (const WorkloadKind workload : {WorkloadKind::kHotSeries, WorkloadKind::kWideTags}) {
      CaseSpec spec = Spec("salt-4", cell, workload);
      spec.points = 8'000;
      EXPECT_GT(RunOk(spec).points, 0u);
    }
  }
}

TEST(CaseRunTest, ByDensityASeriesHasRowsOfHoursOrOfDays) {
  const auto rows = [](std::string_view layout, WorkloadKind workload) {
    CaseSpec spec = Spec(layout, {}, workload);
    spec.points = 26'000;
    return RunOk(spec).read(ReadKind::kSeries).rows_per_point;
  };
  // All have few points an hour, then none, then nine in ten.
  for (const auto& [workload, like] : {std::pair(WorkloadKind::kSparse, "opentsdb-day"),
                                       std::pair(WorkloadKind::kFleet, "opentsdb")}) {
    EXPECT_EQ(rows("opentsdb-by-density", workload), rows(like, workload));
  }
  const double hot = rows("opentsdb-by-density", WorkloadKind::kHotSeries);
  EXPECT_LT(hot, rows("opentsdb", WorkloadKind::kHotSeries));
  EXPECT_GT(hot, rows("opentsdb-day", WorkloadKind::kHotSeries));
}

TEST(CaseRunTest, TheUsualDensityIsThatOfAStore) {
  EXPECT_EQ(kUsualDayRowPoints, Options().day_row_points);
}

TEST(CaseRunTest, SaltSpreadsAFleetAndTheOrderOfArrivalDoesNot) {
  if (kIsSanitized) GTEST_SKIP() << "tells of figures, not of the code";
  CaseSpec spec = Spec("salt-16");
  spec.points = 400'000;
  spec.checks_all = false;
  const CaseResult salted = RunOk(spec);
  spec.layout = *FindLayout("time-first");
  const CaseResult by_time = RunOk(spec);

  EXPECT_LT(salted.hot_share_late, 0.4);
  EXPECT_GT(by_time.hot_share_late, 0.6);
  // The load of time first is where it is because all rows of an hour lie together, however many
  // regions there are.
  EXPECT_GT(by_time.regions, 6u);
}

TEST(CaseRunTest, PresplitSaltIsNearWhatChanceAllows) {
  if (kIsSanitized) GTEST_SKIP() << "tells of figures, not of the code";
  CaseSpec spec = Spec("salt-16");
  spec.points = 400'000;
  spec.rule = SplitRule::kPresplit;
  spec.checks_all = false;
  const CaseResult result = RunOk(spec);

  EXPECT_EQ(result.regions, 16u);
  EXPECT_LT(result.hot_share, 0.3);
}

TEST(CaseRunTest, NoSaltSpreadsASingleSeries) {
  const CaseResult salted = RunOk(Spec("salt-16", {}, WorkloadKind::kSingleSeries));
  const CaseResult hashed = RunOk(Spec("row-hash-16", {}, WorkloadKind::kSingleSeries));

  EXPECT_GT(salted.hot_share_late, 0.99);
  EXPECT_GT(salted.regions, 1u);
  // A hash that has the time in it does, hour by hour.
  EXPECT_LE(hashed.hot_share_late, salted.hot_share_late);
}

TEST(CaseRunTest, PackedIsSmallerThanCompactedThanACellAPoint) {
  const CaseResult packed = RunOk(Spec("opentsdb", {CellKind::kPacked}));
  const CaseResult compacted = RunOk(Spec("opentsdb", {CellKind::kCompacted}));
  const CaseResult per_point = RunOk(Spec("opentsdb", {CellKind::kPerPoint}));
  const CaseResult append = RunOk(Spec("opentsdb", {CellKind::kAppend}));

  EXPECT_LT(packed.stored_bytes_per_point, compacted.stored_bytes_per_point);
  EXPECT_LT(compacted.stored_bytes_per_point, per_point.stored_bytes_per_point);
  EXPECT_LT(packed.file_bytes_per_point, compacted.file_bytes_per_point);
  EXPECT_LT(compacted.file_bytes_per_point, per_point.file_bytes_per_point);
  // What the merge operator makes of appends is the compacted cell.
  EXPECT_NEAR(append.file_bytes_per_point, compacted.file_bytes_per_point,
              0.1 * compacted.file_bytes_per_point);
}

TEST(CaseRunTest, BucketsCostAsksAndOrderCostsRows) {
  const CaseResult plain = RunOk(Spec("opentsdb"));
  const CaseResult salted = RunOk(Spec("salt-16"));
  const CaseResult series_first = RunOk(Spec("series-first"));
  const CaseResult tags_first = RunOk(Spec("tags-first"));

  EXPECT_EQ(plain.read(ReadKind::kMetric).accesses, 1);
  EXPECT_EQ(salted.read(ReadKind::kMetric).accesses, 16);
  EXPECT_EQ(salted.read(ReadKind::kSeries).accesses, 6);
  EXPECT_EQ(series_first.read(ReadKind::kSeries).accesses, 1);
  // An hour of a metric: its six hours are read where tags come before time; everything there is,
  // where the metric does not come first.
  const double wanted = plain.read(ReadKind::kMetric).rows_per_point;
  EXPECT_NEAR(series_first.read(ReadKind::kMetric).rows_per_point, 6 * wanted, 1e-9);
  EXPECT_GT(tags_first.read(ReadKind::kMetric).rows_per_point, 30 * wanted);
}

TEST(CaseRunTest, EveryRuleRunsAndOnlySomeSplit) {
  for (const SplitRule rule : kSplitRules) {
    CaseSpec spec = Spec("opentsdb");
    spec.rule = rule;
    const CaseResult result = RunOk(spec);
    if (rule == SplitRule::kNone) {
      EXPECT_EQ(result.regions, 1u);
    } else {
      EXPECT_GT(result.regions, 3u) << SplitRuleName(rule);
    }
  }
}

TEST(CaseRunTest, SameSeedSameRegionsAndLoad) {
  const CaseResult first = RunOk(Spec("salt-4", {CellKind::kAppend}));
  const CaseResult second = RunOk(Spec("salt-4", {CellKind::kAppend}));

  EXPECT_EQ(first.load.starts, second.load.starts);
  EXPECT_EQ(first.load.rows, second.load.rows);
  EXPECT_EQ(first.hot_share, second.hot_share);
  EXPECT_EQ(first.stored_bytes_per_point, second.stored_bytes_per_point);
  EXPECT_GT(first.write_cpu_us_per_kpoint, 0);
  for (const ReadKind kind : kReadKinds) {
    EXPECT_EQ(first.read(kind).accesses, second.read(kind).accesses);
    EXPECT_GE(first.read(kind).blocks, 1) << ReadKindName(kind);
  }
}

TEST(CaseRunTest, CancelledRunLeavesNothing) {
  const TempDir dir;
  const std::atomic<bool> cancelled{true};
  EXPECT_THAT(RunCase(Spec("opentsdb"), dir.path(), &cancelled).status(),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(CaseRunTest, TwoRunsInOneDirectorySucceed) {
  const TempDir dir;
  CaseSpec spec = Spec("opentsdb");
  spec.points = 8'000;
  std::thread other([&] { EXPECT_OK(RunCase(spec, dir.path())); });
  EXPECT_OK(RunCase(spec, dir.path()));
  other.join();
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(CaseRunTest, NeedsADirectory) {
  EXPECT_THAT(RunCase(Spec("opentsdb"), "no/such/directory").status(),
              StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace hourcell::layouts::case_run_test
