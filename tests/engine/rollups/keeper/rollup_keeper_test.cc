#include "engine/rollups/keeper/rollup_keeper.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rollup_keeper_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int64_t kStart = 1356998400;  // a midnight
constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86'400;

class RollupKeeperTest : public testing::Test {
 protected:
  RollupKeeperTest() {
    options_.clock = &clock_;
    options_.seal_in_background = false;
  }

  void Open(std::string_view rules = "m* 10m, 1h") {
    options_.rollup_rules = *MetricRules::Parse(rules);
    tsdb_ = *Tsdb::Open(options_);
  }
  void Reopen() {
    ASSERT_OK(tsdb_->Close());
    tsdb_ = *Tsdb::Open(options_);
  }
  void Put(const std::string& tags,
           int64_t second,
           int64_t value,
           const std::string& metric = "m") {
    OwnedPoint point(metric, tags, kStart + second, value);
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }
  // Sets the clock to `second` seconds after kStart, and does the work of the background.
  void PassUntil(int64_t second) {
    clock_.Set((kStart + second) * 1000);
    ASSERT_OK(tsdb_->maintenance().SealDue());
    ASSERT_OK(tsdb_->maintenance().ComputeRollups());
  }
  void PutHours(const std::string& tags, int64_t first, int64_t hours) {
    for (int64_t second = first * kHour; second < (first + hours) * kHour; second += 300)
      Put(tags, second, second % 7000 - 1000);
  }

  // The points of all series of a metric, of three days, as text.
  std::string PointsOf(const std::string& metric, std::string_view downsample = {}) {
    QuerySpec spec = MakeQuery(Aggregator::kNone, metric, {}, kStart - kDay, kStart + 4 * kDay);
    if (!downsample.empty()) spec.queries[0].downsample = *ParseDownsampleSpec(downsample);
    spec.may_use_rollups = false;
    const absl::StatusOr<QueryResult> result = tsdb_->queries().Query(spec);
    std::string text;
    if (!result.ok()) return text;  // the metric does not exist
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

  // Each level has the buckets that a query of the points gives.
  void ExpectLevels(const std::string& metric = "m") {
    for (const std::string interval : {"10m", "1h"}) {
      for (const std::string aggregate : {"sum", "count", "min", "max"}) {
        const std::string level =
            RollupMetric({.interval = interval, .aggregator = aggregate}, metric);
        EXPECT_EQ(PointsOf(level), PointsOf(metric, interval + "-" + aggregate)) << level;
      }
    }
  }

  TempDir directory_;
  ManualClock clock_{kStart * 1000};
  Options options_ = TinyOptions(directory_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(RollupKeeperTest, LevelsAreDownsampledPoints) {
  Open();
  PutHours("host=a dc=x", 0, 5);
  PutHours("host=b", 2, 4);
  Put("host=c", 100, 7, "other");
  PassUntil(7 * kHour);

  ExpectLevels();
  EXPECT_THAT(PointsOf("_rollup/1h-sum/m"), HasSubstr("host=a"));
  EXPECT_THAT(PointsOf("_rollup/1h-sum/other"), IsEmpty());
}

TEST_F(RollupKeeperTest, AnHourIsComputedOnceItIsOver) {
  Open("m 1h");
  PutHours("host=a", 0, 2);
  PassUntil(2 * kHour + 60);
  EXPECT_THAT(PointsOf("_rollup/1h-count/m"), HasSubstr(" 0:12"));
  EXPECT_THAT(PointsOf("_rollup/1h-count/m"), Not(HasSubstr(" 3600:12")));
  PassUntil(3 * kHour);
  EXPECT_THAT(PointsOf("_rollup/1h-count/m"), HasSubstr(" 3600:12"));
}

TEST_F(RollupKeeperTest, LatePointsAreComputedOnceTheirHourIsSealed) {
  Open();
  PutHours("host=a", 0, 5);
  PutHours("host=b", 0, 5);
  PassUntil(7 * kHour);

  Put("host=a", 2 * kHour + 1, 500);  // late
  Put("host=b", 3 * kHour, -900);     // an overwrite
  Put("host=c", 1 * kHour, 3);        // a new series
  ASSERT_OK(tsdb_->maintenance().ComputeRollups());
  const std::string before = PointsOf("_rollup/1h-max/m");
  EXPECT_THAT(before, Not(HasSubstr("host=c")));
  PassUntil(8 * kHour);

  ExpectLevels();
  EXPECT_THAT(PointsOf("_rollup/1h-max/m"), HasSubstr("host=c"));
}

TEST_F(RollupKeeperTest, AnHourThatIsOpenAtItsTurnIsComputedAgain) {
  Open("m 1h");
  Put("host=a", 0, 1);
  // Idle for less than the grace: the hour is over, and still open.
  clock_.Set((kStart + kHour + 700) * 1000);
  Put("host=a", 1, 1);
  PassUntil(kHour + 800);
  EXPECT_THAT(PointsOf("_rollup/1h-count/m"), HasSubstr(" 0:2"));
  Put("host=a", 2, 1);  // no hour is opened
  PassUntil(2 * kHour);
  EXPECT_THAT(PointsOf("_rollup/1h-count/m"), HasSubstr(" 0:3"));
}

TEST_F(RollupKeeperTest, ARestartContinues) {
  Open();
  PutHours("host=a", 0, 3);
  PassUntil(4 * kHour);
  Put("host=a", 60, 77);  // late, and in the journal
  Reopen();
  PutHours("host=a", 4, 3);
  PassUntil(9 * kHour);
  ExpectLevels();
}

TEST_F(RollupKeeperTest, AToolWithoutRulesKeepsTheMarks) {
  Open();
  PutHours("host=a", 0, 3);
  PassUntil(5 * kHour);
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->Close());
  Options without = options_;
  without.rollup_rules.reset();
  tsdb_ = *Tsdb::Open(without);
  Put("host=a", 60, 77);
  ASSERT_OK(tsdb_->Close());
  tsdb_ = *Tsdb::Open(options_);
  const auto progress = tsdb_->retention().Rollups();
  ASSERT_OK(progress);
  ASSERT_EQ(progress->size(), 1U);
  EXPECT_EQ((*progress)[0].changed, 1U);
  EXPECT_EQ((*progress)[0].until_s, kStart + 4 * kHour);
  PassUntil(6 * kHour);
  ExpectLevels();
}

// The first interval of the delete begins before it and loses its only point.
TEST_F(RollupKeeperTest, ADeleteOfAToolWithoutRulesDeletesLevels) {
  Open();
  Put("host=a", 1800, 5);
  PutHours("host=a", 1, 3);
  PassUntil(6 * kHour);
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->Close());
  Options without = options_;
  without.rollup_rules.reset();
  tsdb_ = *Tsdb::Open(without);
  QuerySpec spec = MakeQuery(Aggregator::kNone, "m", {}, kStart + 1000, kStart + 2 * kHour + 100);
  ASSERT_OK(tsdb_->points().DeletePoints(spec));
  ASSERT_OK(tsdb_->Close());
  tsdb_ = *Tsdb::Open(options_);
  EXPECT_EQ(tsdb_->retention().Rollups()->size(), 1U);
  PassUntil(7 * kHour);
  ExpectLevels();
  EXPECT_THAT(PointsOf("_rollup/1h-count/m"), Not(HasSubstr(" 0:")));
}

TEST_F(RollupKeeperTest, ADamagedMarkMakesLevelsBeginAgain) {
  std::string warned;
  options_.warn = [&warned](std::string_view message) { warned += message; };
  Open();
  PutHours("host=a", 0, 3);
  PassUntil(5 * kHour);
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->Close());
  {
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    ASSERT_OK(tables);
    const Mutation row{TableId::kSystem, Mutation::Kind::kSet, "rollup/mark/x", ""};
    ASSERT_OK((*tables)->Apply({&row, 1}, /*sync=*/false));
    ASSERT_OK((*tables)->Close());
  }
  tsdb_ = *Tsdb::Open(options_);
  EXPECT_THAT(warned, HasSubstr("all rollups are computed again"));
  PassUntil(6 * kHour);
  ExpectLevels();
}

TEST_F(RollupKeeperTest, ANewRuleComputesThePointsThatAreThere) {
  Open("n 1h");
  PutHours("host=a", 0, 30);
  PassUntil(32 * kHour);
  EXPECT_THAT(PointsOf("_rollup/1h-sum/m"), IsEmpty());
  ASSERT_OK(tsdb_->Close());
  Open("* 10m (sum count min max), 1h");
  PassUntil(33 * kHour);
  ExpectLevels();
}

TEST_F(RollupKeeperTest, ADayIsComputedAtItsEnd) {
  Open("m 1d (count)");
  PutHours("host=a", 0, 26);
  PassUntil(23 * kHour);
  EXPECT_THAT(PointsOf("_rollup/1d-count/m"), IsEmpty());
  PassUntil(25 * kHour);
  EXPECT_THAT(PointsOf("_rollup/1d-count/m"), HasSubstr(" 0:288.0"));
  Put("host=a", 5 * kHour + 1, 3);
  PassUntil(27 * kHour);
  EXPECT_THAT(PointsOf("_rollup/1d-count/m"), HasSubstr(" 0:289.0"));
}

TEST_F(RollupKeeperTest, ARuleWithTagsTakesSeriesThatHaveThem) {
  Open("m{dc=x|y} 1h (sum)");
  PutHours("host=a dc=x", 0, 2);
  PutHours("host=b dc=z", 0, 2);
  PutHours("host=c", 0, 2);
  PassUntil(4 * kHour);
  Put("host=b dc=z", 5, 1);
  PassUntil(6 * kHour);
  const std::string levels = PointsOf("_rollup/1h-sum/m");
  EXPECT_THAT(levels, HasSubstr("host=a"));
  EXPECT_THAT(levels, Not(HasSubstr("host=b")));
  EXPECT_THAT(levels, Not(HasSubstr("host=c")));
}

TEST_F(RollupKeeperTest, ExpiredHoursKeepTheirLevels) {
  options_.ttl_s = kDay;
  Open("m 1h (count)");
  PutHours("host=a", 0, 3);
  PassUntil(5 * kHour);
  ASSERT_OK(tsdb_->retention().SetMetricTtl("_rollup/1h-count/m", 0));
  const std::string levels = PointsOf("_rollup/1h-count/m");
  clock_.Set((kStart + kDay + kHour / 2 + 1800) * 1000 + 1000);
  Put("host=a", kHour + 10, 5);  // its hour begins to expire
  PassUntil(kDay + 2 * kHour);
  EXPECT_EQ(PointsOf("_rollup/1h-count/m"), levels);
}

TEST_F(RollupKeeperTest, ARebuiltLevelIsAsBefore) {
  Open();
  PutHours("host=a", 0, 5);
  PassUntil(7 * kHour);
  auto progress = tsdb_->retention().Rollups();
  ASSERT_OK(progress);
  ASSERT_EQ(progress->size(), 1U);
  EXPECT_EQ((*progress)[0], (RollupProgress{.metric = "m",
                                            .levels = "10m(sum,count,min,max)1h(sum,count,min,max)",
                                            .until_s = kStart + 6 * kHour}));

  // A client writes a wrong level.
  OwnedPoint wrong("_rollup/1h-sum/m", "host=a", kStart + 2 * kHour, int64_t{77});
  ASSERT_OK(tsdb_->points().Put(wrong.view()));
  ASSERT_OK(tsdb_->retention().RebuildRollups("m", kStart + 2 * kHour + 5));
  progress = tsdb_->retention().Rollups();
  ASSERT_OK(progress);
  EXPECT_EQ((*progress)[0].until_s, kStart + 2 * kHour);
  PassUntil(7 * kHour + 60);
  ExpectLevels();
  EXPECT_TRUE(absl::IsNotFound(tsdb_->retention().RebuildRollups("no.such", 0)));
}

TEST_F(RollupKeeperTest, PointsAndLevelsHaveTheTtlsOfTheirRule) {
  options_.ttl_s = 90 * kDay;
  Open("m raw for 2d, 10m (sum) for 30d, 1h (sum); n raw for 5d");
  PutHours("host=a", 0, 2);
  Put("host=a", 0, 1, "n");
  Put("host=a", 0, 1, "o");
  // The points are older than their TTL already: they expire once they are computed.
  PassUntil(3 * kDay);
  EXPECT_THAT(PointsOf("_rollup/1h-sum/m"), HasSubstr(" 3600:"));
  PassUntil(3 * kDay + kHour);

  std::map<std::string, int64_t> ttls;
  const auto listed = tsdb_->retention().MetricTtls();
  ASSERT_OK(listed);
  for (const MetricTtl& one : *listed)
    ttls[one.metric] = one.ttl_s;
  const std::map<std::string, int64_t> expected = {
      {"m", 2 * kDay}, {"n", 5 * kDay}, {"_rollup/10m-sum/m", 30 * kDay}, {"_rollup/1h-sum/m", 0}};
  EXPECT_EQ(ttls, expected);
  EXPECT_THAT(PointsOf("m"), IsEmpty());
  EXPECT_THAT(PointsOf("_rollup/1h-sum/m"), HasSubstr(" 3600:"));
}

// A late point of an hour that a TTL hides is not computed.
TEST_F(RollupKeeperTest, AnUndoOfATtlComputesTheHoursThatWereHidden) {
  options_.undo_s = 7 * kDay;
  Open();
  PutHours("host=a", 0, 5);
  PassUntil(7 * kHour);
  Put("host=a", 2 * kHour + 1, 500);
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3 * kHour));
  PassUntil(8 * kHour);
  PassUntil(9 * kHour);
  const auto shortened = tsdb_->retention().ShortenedTtls();
  ASSERT_OK(shortened);
  ASSERT_EQ(shortened->size(), 1U) << "the levels keep their TTLs";
  ASSERT_OK(tsdb_->retention().UndoTtl(shortened->front().id));
  PassUntil(10 * kHour);
  EXPECT_THAT(PointsOf("m"), HasSubstr(" 7201:500"));
  ExpectLevels();
}

TEST_F(RollupKeeperTest, AnotherRetentionKeepsTheLevels) {
  Open("m raw for 2d, 1h (sum) for 30d");
  PutHours("host=a", 0, 2);
  PassUntil(5 * kHour);
  PassUntil(6 * kHour);
  const std::string levels = PointsOf("_rollup/1h-sum/m");
  ASSERT_OK(tsdb_->Close());
  Open("m raw for 3d, 1h (sum) for 60d");
  PassUntil(7 * kHour);
  EXPECT_EQ(PointsOf("_rollup/1h-sum/m"), levels);
  const auto listed = tsdb_->retention().MetricTtls();
  ASSERT_OK(listed);
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_EQ((*listed)[0].ttl_s, 60 * kDay);
  EXPECT_EQ((*listed)[1].ttl_s, 3 * kDay);
}

TEST_F(RollupKeeperTest, MetricsThatPutsMayNotCreateHaveLevels) {
  options_.auto_create_metrics = false;
  Open("m 1h (sum)");
  ASSERT_OK(tsdb_->names().AssignUid(UidKind::kMetric, "m"));
  PutHours("host=a", 0, 2);
  PassUntil(4 * kHour);
  EXPECT_THAT(PointsOf("_rollup/1h-sum/m"), HasSubstr("host=a"));
}

TEST_F(RollupKeeperTest, AVirtualMetricHasNoLevels) {
  Open("* 10m, 1h");
  PutHours("host=a", 0, 3);
  SubQuery input;
  input.aggregator = Aggregator::kNone;
  input.metric = "m";
  ASSERT_OK(tsdb_->names().DefineMetric("v", {.formula = "a * 2", .inputs = {input}}));
  PassUntil(5 * kHour);
  ExpectLevels();
  EXPECT_TRUE(
      absl::IsNotFound(tsdb_->names().FindUid(UidKind::kMetric, "_rollup/1h-sum/v").status()));

  // Its input is read by levels, under a new name, too.
  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kMetric, "m", "n"));
  QuerySpec spec = MakeQuery(Aggregator::kNone, "v", {}, kStart, kStart + 2 * kHour);
  spec.queries[0].downsample = *ParseDownsampleSpec("1h-sum");
  const absl::StatusOr<QueryResult> by_levels = tsdb_->queries().Query(spec);
  spec.may_use_rollups = false;
  const absl::StatusOr<QueryResult> by_points = tsdb_->queries().Query(spec);
  ASSERT_OK(by_levels);
  ASSERT_OK(by_points);
  ASSERT_EQ(by_levels->series.size(), 1U);
  EXPECT_EQ(by_levels->series[0].points, by_points->series[0].points);
}

TEST_F(RollupKeeperTest, LimitsOfQueriesDoNotStopIt) {
  options_.query_limits = {.points = 1, .rows = 1, .series = 1, .range_ms = 1000};
  Open("m 1h (sum)");
  PutHours("host=a", 0, 2);
  PutHours("host=b", 0, 2);
  PassUntil(4 * kHour);
  options_.query_limits = {};
  Reopen();
  EXPECT_THAT(PointsOf("_rollup/1h-sum/m"), HasSubstr("host=b"));
}

// Points in any order, with restarts, and the clock moving on.
TEST_F(RollupKeeperTest, LevelsAreThoseOfAModel) {
  constexpr uint64_t kSeed = 20261127;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  Open();
  int64_t now = 2 * kHour;
  for (int step = 0; step < 400; ++step) {
    switch (random.Below(20)) {
      case 0:
        Reopen();
        break;
      case 1:
      case 2:
        now += static_cast<int64_t>(random.Below(2 * kHour));
        PassUntil(now);
        break;
      case 3:
        ASSERT_OK(tsdb_->maintenance().Seal());
        break;
      case 4:
        ASSERT_OK(tsdb_->maintenance().ComputeRollups());
        break;
      default:
        clock_.Set((kStart + now) * 1000);
        Put(fmt::format("host={}", random.Below(3)),
            static_cast<int64_t>(random.Below(static_cast<uint64_t>(now))),
            static_cast<int64_t>(random.Below(1000)) - 500);
    }
    if (HasFatalFailure()) return;
  }
  ASSERT_OK(tsdb_->maintenance().Seal());
  PassUntil(now + 4 * kHour);
  ASSERT_OK(tsdb_->maintenance().Seal());
  PassUntil(now + 5 * kHour);
  ExpectLevels();
}

}  // namespace
}  // namespace hourcell::rollup_keeper_test
