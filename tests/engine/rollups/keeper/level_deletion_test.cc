#include "engine/rollups/keeper/level_deletion.h"

#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::level_deletion_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int64_t kStart = 1356998400;  // a midnight
constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86'400;

class LevelDeletionTest : public testing::Test {
 protected:
  LevelDeletionTest() {
    options_.clock = &clock_;
    options_.seal_in_background = false;
  }

  void Open(std::string_view rules) {
    options_.rollup_rules = *MetricRules::Parse(rules);
    tsdb_ = *Tsdb::Open(options_);
  }
  void PutHours(const std::string& tags, int64_t first, int64_t hours) {
    for (int64_t second = first * kHour; second < (first + hours) * kHour; second += 300) {
      OwnedPoint point("m", tags, kStart + second, second % 7000);
      ASSERT_OK(tsdb_->points().Put(point.view()));
    }
  }
  void PassUntil(int64_t second) {
    clock_.Set((kStart + second) * 1000);
    ASSERT_OK(tsdb_->maintenance().SealDue());
    ASSERT_OK(tsdb_->maintenance().ComputeRollups());
  }
  void Delete(const std::string& metric,
              const std::string& host,
              int64_t from,
              int64_t until,
              RollupUsage usage = RollupUsage::kNoFallback) {
    QuerySpec spec = MakeQuery(Aggregator::kNone, metric, {}, kStart + from, kStart + until);
    if (!host.empty()) {
      spec.queries[0].filters = {*ParseTagValueFilter("host", host, /*group_by=*/false)};
    }
    spec.queries[0].rollup_usage = usage;
    ASSERT_OK(tsdb_->points().DeletePoints(spec));
  }

  std::string PointsOf(const std::string& metric, std::string_view downsample = {}) {
    QuerySpec spec = MakeQuery(Aggregator::kNone, metric, {}, kStart - kDay, kStart + 9 * kDay);
    if (!downsample.empty()) spec.queries[0].downsample = *ParseDownsampleSpec(downsample);
    spec.may_use_rollups = false;
    const absl::StatusOr<QueryResult> result = tsdb_->queries().Query(spec);
    EXPECT_OK(result);
    std::string text;
    for (const ResultSeries& series : result->series) {
      if (series.points.empty()) continue;
      for (const auto& [key, value] : series.tags)
        text += fmt::format("{}={} ", key, value);
      for (const ResultPoint& point : series.points)
        text += fmt::format("{}:{:.6f} ", point.ms / 1000 - kStart, point.value.ToDouble());
      text += '\n';
    }
    return text;
  }
  // A query of the levels gets the results of the points.
  void ExpectExact(std::string_view downsample) {
    QuerySpec spec = MakeQuery(Aggregator::kSum, "m", {}, kStart - kDay, kStart + 9 * kDay);
    spec.queries[0].downsample = *ParseDownsampleSpec(downsample);
    const absl::StatusOr<QueryResult> by_levels = tsdb_->queries().Query(spec);
    spec.may_use_rollups = false;
    const absl::StatusOr<QueryResult> by_points = tsdb_->queries().Query(spec);
    ASSERT_OK(by_levels);
    ASSERT_OK(by_points);
    ASSERT_EQ(by_levels->series.size(), by_points->series.size()) << downsample;
    for (size_t i = 0; i < by_points->series.size(); ++i)
      EXPECT_EQ(by_levels->series[i].points, by_points->series[i].points) << downsample;
  }

  TempDir directory_;
  ManualClock clock_{kStart * 1000};
  Options options_ = TinyOptions(directory_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(LevelDeletionTest, ALevelHasNoDeletedPoint) {
  Open("m 10m, 6h");
  PutHours("host=a", 0, 20);
  PutHours("host=b", 0, 20);
  PassUntil(24 * kHour);
  Delete("m", "a", 2 * kHour + 100, 9 * kHour + 500);
  ExpectExact("10m-count");
  ExpectExact("1d-sum");
  EXPECT_THAT(PointsOf("_rollup/10m-sum/m"), HasSubstr("host=b"));
  PassUntil(24 * kHour + 60);
  for (const std::string aggregate : {"sum", "count", "min", "max"}) {
    for (const std::string interval : {"10m", "6h"}) {
      EXPECT_EQ(PointsOf(RollupMetric({.interval = interval, .aggregator = aggregate}, "m")),
                PointsOf("m", interval + "-" + aggregate));
    }
  }
}

// The first interval begins before the delete, and loses all of its points.
TEST_F(LevelDeletionTest, AnIntervalThatLosesItsLastPointIsGone) {
  Open("m 1h (count)");
  OwnedPoint point("m", "host=a", kStart + 1800, 5);
  ASSERT_OK(tsdb_->points().Put(point.view()));
  PassUntil(3 * kHour);
  EXPECT_THAT(PointsOf("_rollup/1h-count/m"), HasSubstr(" 0:1.0"));
  Delete("m", "", 1000, 2000);
  ExpectExact("1h-count");
  PassUntil(4 * kHour);
  EXPECT_THAT(PointsOf("_rollup/1h-count/m"), IsEmpty());
}

TEST_F(LevelDeletionTest, ADeleteOverAllMetricsIncludesLevels) {
  Open("m 1h (count)");
  PutHours("host=a", 0, 9);
  PutHours("host=b", 0, 9);
  PassUntil(12 * kHour);
  Delete("", "a", 0, kDay);
  ExpectExact("1h-count");
  PassUntil(13 * kHour);
  EXPECT_THAT(PointsOf("_rollup/1h-count/m"), Not(HasSubstr("host=a")));
  EXPECT_THAT(PointsOf("_rollup/1h-count/m"), HasSubstr("host=b"));
}

TEST_F(LevelDeletionTest, ALevelThatIsDeletedAloneComesBack) {
  Open("m 1h (count)");
  PutHours("host=a", 0, 9);
  PassUntil(12 * kHour);
  const std::string before = PointsOf("_rollup/1h-count/m");
  Delete("_rollup/1h-count/m", "a", 0, 5 * kHour);
  ExpectExact("1h-count");
  PassUntil(13 * kHour);
  EXPECT_EQ(PointsOf("_rollup/1h-count/m"), before);
}

TEST_F(LevelDeletionTest, LevelsStayIfOnlyThePointsAreDeleted) {
  Open("m 1h (count)");
  PutHours("host=a", 0, 9);
  PassUntil(12 * kHour);
  const std::string before = PointsOf("_rollup/1h-count/m");
  Delete("m", "a", 0, 5 * kHour, RollupUsage::kRaw);
  PassUntil(13 * kHour);
  EXPECT_EQ(PointsOf("_rollup/1h-count/m"), before);
}

TEST_F(LevelDeletionTest, ARenamedMetricKeepsItsLevels) {
  Open("m* 1h; n{host=a} 1h");
  PutHours("host=a", 0, 9);
  PassUntil(12 * kHour);
  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kMetric, "m", "m2"));
  EXPECT_EQ(PointsOf("_rollup/1h-count/m2"), PointsOf("m2", "1h-count"));
  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kMetric, "m2", "m"));
  PassUntil(13 * kHour);
  ExpectExact("1h-count");
}

TEST_F(LevelDeletionTest, ARenamedTagMayBringSeriesIntoARule) {
  Open("m{host=b} 1h (sum)");
  PutHours("host=a", 0, 5);
  PassUntil(7 * kHour);
  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kTagv, "a", "b"));
  ExpectExact("1h-sum");
  PassUntil(8 * kHour);
  ExpectExact("1h-sum");
  EXPECT_THAT(PointsOf("_rollup/1h-sum/m"), HasSubstr("host=b"));
}

// Deletes among puts, restarts and the work in the background; each query is checked.
TEST_F(LevelDeletionTest, AnswersAreExactAmongDeletes) {
  const uint64_t seed = RandomSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  Open("m 10m, 1h (sum count), 6h (max)");
  int64_t now = 3 * kHour;
  const auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random.Below(static_cast<uint64_t>(bound)));
  };
  for (int step = 0; step < 300; ++step) {
    switch (random.Below(10)) {
      case 0: {
        const int64_t from = below(now);
        Delete("m", fmt::format("{}", random.Below(3)), from, from + below(10 * kHour));
        break;
      }
      case 1:
        now += below(2 * kHour);
        PassUntil(now);
        break;
      case 2:
        if (random.Below(4) != 0) break;
        ASSERT_OK(tsdb_->Close());
        tsdb_ = *Tsdb::Open(options_);
        break;
      case 3:
        ASSERT_OK(tsdb_->maintenance().ComputeRollups());
        break;
      case 4:
        for (const std::string_view downsample : {"10m-count", "1h-avg", "6h-max", "1d-sum"})
          ExpectExact(downsample);
        break;
      default: {
        clock_.Set((kStart + now) * 1000);
        for (int host = 0; host < 3; ++host) {
          OwnedPoint point("m", fmt::format("host={}", host), kStart + below(now), below(1000));
          ASSERT_OK(tsdb_->points().Put(point.view()));
        }
      }
    }
    ASSERT_FALSE(HasFailure()) << step;
  }
}

}  // namespace
}  // namespace hourcell::level_deletion_test
