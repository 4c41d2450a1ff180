#include "engine/rollups/keeper/level_deletion.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
  void Put(const std::string& tags, int64_t second, int64_t value) {
    OwnedPoint point("m", tags, kStart + second, value);
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }
  void PutHours(const std::string& tags, int64_t first, int64_t hours) {
    for (int64_t second = first * kHour; second < (first + hours) * kHour; second += 300)
      Put(tags, second, second % 7000);
  }
  void PassUntil(int64_t second) {
    clock_.Set((kStart + second) * 1000);
    ASSERT_OK(tsdb_->maintenance().SealDue());
    ASSERT_OK(tsdb_->maintenance().ComputeRollups());
  }
  // Returns the id of a delete that can be undone.
  uint64_t Delete(const std::string& metric,
                  const std::string& host,
                  int64_t from,
                  int64_t until,
                  RollupUsage usage = RollupUsage::kNoFallback) {
    QuerySpec spec = MakeQuery(Aggregator::kNone, metric, {}, kStart + from, kStart + until);
    if (!host.empty()) {
      spec.queries[0].filters = {*ParseTagValueFilter("host", host, /*group_by=*/false)};
    }
    spec.queries[0].rollup_usage = usage;
    const absl::StatusOr<DeletedPoints> deleted = tsdb_->points().DeletePoints(spec);
    EXPECT_OK(deleted);
    return deleted.ok() ? deleted->undo_id : 0;
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

  // The levels of all aggregates have the points that the points of the metric give.
  void ExpectLevels(std::initializer_list<std::string> intervals) {
    for (const std::string& interval : intervals) {
      for (const std::string aggregate : {"sum", "count", "min", "max"}) {
        const std::string level =
            RollupMetric({.interval = interval, .aggregator = aggregate}, "m");
        EXPECT_EQ(PointsOf(level), PointsOf("m", interval + "-" + aggregate)) << level;
      }
    }
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
  PassUntil(25 * kHour);
  ExpectLevels({"10m", "6h"});
}

// The intervals at the edges, and those with later points, were computed without the deleted ones.
TEST_F(LevelDeletionTest, AnUndoBringsTheLevelsBack) {
  options_.undo_s = 7 * kDay;
  Open("m 10m, 6h");
  PutHours("host=a", 0, 20);
  PutHours("host=b", 0, 20);
  PassUntil(24 * kHour);
  const std::string before = PointsOf("_rollup/6h-sum/m");
  const uint64_t all = Delete("m", "a", 2 * kHour + 100, 9 * kHour + 500);
  const uint64_t edge = Delete("m", "b", 3 * kHour, 3 * kHour + 100);
  ExpectExact("10m-count");
  PassUntil(25 * kHour);
  ExpectLevels({"10m", "6h"});
  EXPECT_NE(PointsOf("_rollup/6h-sum/m"), before);

  Put("host=a", 4 * kHour + 1, 12345);
  PassUntil(26 * kHour);
  ExpectLevels({"10m", "6h"});
  ASSERT_OK(tsdb_->points().Undo(all));
  ASSERT_OK(tsdb_->points().Undo(edge));
  ExpectExact("10m-count");
  ExpectExact("1d-sum");
  PassUntil(27 * kHour);
  ExpectLevels({"10m", "6h"});
  EXPECT_THAT(PointsOf("m"), HasSubstr("12345"));
}

// No later point moves anything: the delete and its undo are records alone.
TEST_F(LevelDeletionTest, AnUndoOfWholeIntervalsBringsTheLevelsBack) {
  options_.undo_s = 7 * kDay;
  Open("m 1h");
  PutHours("host=a", 0, 9);
  PassUntil(12 * kHour);
  const std::string before = PointsOf("_rollup/1h-sum/m");
  const uint64_t id = Delete("m", "a", 0, kDay);
  EXPECT_THAT(PointsOf("_rollup/1h-sum/m"), IsEmpty());
  ASSERT_OK(tsdb_->points().Undo(id));
  EXPECT_EQ(PointsOf("_rollup/1h-sum/m"), before);
  ExpectExact("1h-sum");
}

// The first interval begins before the delete, and loses all of its points.
TEST_F(LevelDeletionTest, AnIntervalThatLosesItsLastPointIsGone) {
  Open("m 1h (count)");
  Put("host=a", 1800, 5);
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

// Deletes, with undo or without, among puts, restarts and the work in the background; each query is
// checked.
class RandomLevelDeletionTest : public LevelDeletionTest, public testing::WithParamInterface<bool> {
 protected:
  void Step() {
    switch (random_.Below(11)) {
      case 0: {
        const int64_t from = Below(now_);
        const uint64_t id =
            Delete("m", fmt::format("{}", random_.Below(3)), from, from + Below(10 * kHour));
        if (id != 0) deletes_.push_back(id);
        break;
      }
      case 1:
        now_ += Below(2 * kHour);
        PassUntil(now_);
        break;
      case 2:
        if (random_.Below(4) != 0) break;
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
      case 5:
        EndDelete();
        break;
      default:
        PutSome();
    }
  }

  void EndDelete() {
    if (deletes_.empty()) return;
    const auto one = deletes_.begin() + Below(static_cast<int64_t>(deletes_.size()));
    if (random_.Below(4) == 0) {
      ASSERT_OK(tsdb_->points().Forget(*one));
    } else {
      ASSERT_OK(tsdb_->points().Undo(*one));
    }
    deletes_.erase(one);
  }

  void PutSome() {
    clock_.Set((kStart + now_) * 1000);
    for (int host = 0; host < 3; ++host)
      Put(fmt::format("host={}", host), Below(now_), Below(1000));
  }

  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(random_.Below(static_cast<uint64_t>(bound)));
  }

  const uint64_t seed_ = 20261127;
  Random random_{seed_};
  int64_t now_ = 3 * kHour;
  std::vector<uint64_t> deletes_;  // that can be undone
};

TEST_P(RandomLevelDeletionTest, AnswersAreExactAmongDeletes) {
  SCOPED_TRACE(seed_);
  if (GetParam()) options_.undo_s = 365 * kDay;
  Open("m 10m, 1h (sum count), 6h (max)");
  PutSome();  // deletes and queries need the names
  for (int step = 0; step < 300; ++step) {
    Step();
    ASSERT_FALSE(HasFailure()) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(WithUndo, RandomLevelDeletionTest, testing::Bool());

}  // namespace
}  // namespace hourcell::level_deletion_test
