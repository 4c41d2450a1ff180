#include "engine/deletion/metric_batches.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::metric_batches_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;

// More metrics than a batch has, each with the series host=web01, host=web02 and host=db01, which
// have two points each: one in memory, and one in a cell of another hour.
class MetricBatchesTest : public testing::Test {
 protected:
  static constexpr uint64_t kMetrics = 600;

  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    tsdb_ = *Tsdb::Open(options_);
    PutAll(kHour - 3600);
    ASSERT_OK(tsdb_->maintenance().Seal());
    PutAll(kHour);
    ASSERT_OK(tsdb_->points().Put(OwnedPoint("other", "shelf=3", kHour, 1).view()));
  }

  void PutAll(int64_t at_s) {
    std::vector<OwnedPoint> points;
    for (uint64_t i = 0; i < kMetrics; ++i)
      for (const char* const host : {"web01", "web02", "db01"})
        points.emplace_back(fmt::format("m{}", i), fmt::format("host={}", host), at_s, 1);
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    ASSERT_OK(tsdb_->points().Append(views, nullptr).Wait());
  }

  // Of all metrics: the second of the first point is kHour - 3600.
  static QuerySpec Spec(const std::string& metric,
                        std::vector<TagFilterSpec> filters,
                        int64_t end_s = kHour) {
    return MakeQuery(Aggregator::kSum, metric, std::move(filters), kHour - 3600, end_s);
  }
  static TagFilterSpec Host(const std::string& hosts) {
    const bool is_name = hosts.find('*') == std::string::npos;
    return {"host", is_name ? FilterType::kLiteralOr : FilterType::kWildcard, hosts, false};
  }
  CountedPoints Count(const QuerySpec& spec) {
    const auto counted = tsdb_->points().CountPoints(spec);
    EXPECT_OK(counted);
    return counted.value_or(CountedPoints());
  }
  int64_t MemoryOfQueries() {
    for (const StatSample& sample : tsdb_->stats().Snapshot())
      if (sample.name == "query.memory_bytes") return sample.value;
    return -1;
  }

  TempDir directory_;
  ManualClock clock_{(kHour + 1800) * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(MetricBatchesTest, DeletesWhatItCounts) {
  const QuerySpec web = Spec("", {Host("web*")});
  const CountedPoints want = {.metrics = kMetrics, .series = 2 * kMetrics, .points = 4 * kMetrics};
  EXPECT_EQ(Count(web), want);
  EXPECT_EQ(Count(web), want) << "a count changes nothing";

  EXPECT_THAT(tsdb_->points().DeletePoints(web),
              IsOkAndHolds(DeletedPoints{.points = 4 * kMetrics, .rows = 4 * kMetrics}));

  EXPECT_EQ(Count(web), CountedPoints());
  EXPECT_EQ(Count(Spec("", {Host("*")})),
            (CountedPoints{.metrics = kMetrics, .series = kMetrics, .points = 2 * kMetrics}));
  EXPECT_EQ(Count(Spec("other", {})), (CountedPoints{.metrics = 1, .series = 1, .points = 1}));
  EXPECT_EQ(MemoryOfQueries(), 0);
}

TEST_F(MetricBatchesTest, AVirtualMetricHasNoPoints) {
  const QuerySpec hosts = Spec("m0", {{"host", FilterType::kWildcard, "*", true}});
  ASSERT_OK(tsdb_->names().DefineMetric("busy", {.formula = "a", .inputs = hosts.queries}));
  for (const QuerySpec& named : {Spec("busy", {}), Spec("busy", {Host("web01")})}) {
    const auto is_refused = StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("metric \"busy\": virtual; expected a metric with"));
    EXPECT_THAT(tsdb_->points().DeletePoints(named), is_refused);
    EXPECT_THAT(tsdb_->points().CountPoints(named), is_refused);
  }
  EXPECT_EQ(Count(Spec("", {Host("web01")})),
            (CountedPoints{.metrics = kMetrics, .series = kMetrics, .points = 2 * kMetrics}));
}

TEST_F(MetricBatchesTest, OnlyPointsOfTheRange) {
  const QuerySpec first = Spec("", {Host("web01")}, kHour - 1);
  EXPECT_THAT(tsdb_->points().DeletePoints(first),
              IsOkAndHolds(DeletedPoints{.points = kMetrics, .rows = kMetrics}));
  EXPECT_EQ(Count(Spec("", {Host("web01")})),
            (CountedPoints{.metrics = kMetrics, .series = kMetrics, .points = kMetrics}));
}

TEST_F(MetricBatchesTest, TakesSubQueriesWithMetricsToo) {
  QuerySpec both = Spec("other", {});
  both.queries.push_back(Spec("", {Host("db01")}).queries[0]);
  EXPECT_EQ(
      Count(both),
      (CountedPoints{.metrics = kMetrics + 1, .series = kMetrics + 1, .points = 2 * kMetrics + 1}));
  EXPECT_THAT(tsdb_->points().DeletePoints(both),
              IsOkAndHolds(DeletedPoints{.points = 2 * kMetrics + 1, .rows = 2 * kMetrics + 1}));
}

TEST_F(MetricBatchesTest, TheRollupsOfAMetricGoWithItsPoints) {
  for (const char* const level : {"_rollup/1h-sum/m1", "_rollup/agg/m1", "_rollup/1h-sum/m11"})
    ASSERT_OK(tsdb_->points().Put(OwnedPoint(level, "host=web01 x=y", kHour, 1).view()));
  const QuerySpec web = Spec("m1", {Host("web01")});
  QuerySpec raw = web;
  raw.queries[0].rollup_usage = RollupUsage::kRaw;

  EXPECT_EQ(Count(raw), (CountedPoints{.metrics = 1, .series = 1, .points = 2}));
  EXPECT_EQ(Count(web), (CountedPoints{.metrics = 3, .series = 3, .points = 4}));
  EXPECT_THAT(tsdb_->points().DeletePoints(raw),
              IsOkAndHolds(DeletedPoints{.points = 2, .rows = 2}));
  EXPECT_EQ(Count(Spec("_rollup/1h-sum/m1", {})).points, 1U);
  EXPECT_THAT(tsdb_->points().DeletePoints(web),
              IsOkAndHolds(DeletedPoints{.points = 2, .rows = 2}));
  EXPECT_EQ(Count(Spec("_rollup/1h-sum/m1", {})).points, 0U);
  EXPECT_EQ(Count(Spec("_rollup/1h-sum/m11", {})).points, 1U);
}

TEST_F(MetricBatchesTest, TheRollupsOfATsuidGoWithItsPoints) {
  ASSERT_OK(tsdb_->points().Put(OwnedPoint("_rollup/1h-sum/m1", "host=web01", kHour, 1).view()));
  const auto found = tsdb_->queries().Query(Spec("m1", {Host("web01")}));
  ASSERT_OK(found);
  QuerySpec of_series = Spec("", {});
  of_series.queries[0].tsuids = found->series.at(0).tsuids;

  EXPECT_EQ(Count(of_series), (CountedPoints{.metrics = 2, .series = 2, .points = 3}));
  EXPECT_THAT(tsdb_->points().DeletePoints(of_series),
              IsOkAndHolds(DeletedPoints{.points = 3, .rows = 3}));
}

TEST_F(MetricBatchesTest, PreAggregatesAreDeletedByTheirTag) {
  QuerySpec pre_aggregates = Spec("m1", {});
  pre_aggregates.queries[0].pre_aggregate = true;

  EXPECT_THAT(tsdb_->points().DeletePoints(pre_aggregates),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("preAggregate")));
  EXPECT_EQ(Count(Spec("m1", {})).points, 6U);
}

TEST_F(MetricBatchesTest, WithoutAFilterNothingIsDeleted) {
  QuerySpec all = Spec("other", {});
  all.queries.emplace_back();
  for (const auto& status :
       {tsdb_->points().DeletePoints(all).status(), tsdb_->points().CountPoints(all).status()}) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("expected a metric, tsuids or tags, got none")));
  }
  EXPECT_EQ(Count(Spec("other", {})).points, 1u);
}

TEST_F(MetricBatchesTest, AnUnknownNameIsAnError) {
  const QuerySpec unknown = Spec("", {{"hosst", FilterType::kLiteralOr, "web01", false}});
  EXPECT_THAT(tsdb_->points().DeletePoints(unknown),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("hosst")));
}

TEST_F(MetricBatchesTest, ACancelledDeletionEnds) {
  QueryControl control;
  control.Cancel();
  EXPECT_THAT(tsdb_->points().DeletePoints(Spec("", {Host("*")}), &control),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(Count(Spec("", {Host("*")})).points, 6 * kMetrics);
}

}  // namespace
}  // namespace hourcell::metric_batches_test
