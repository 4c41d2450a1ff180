#include "engine/rollups/rule_planner.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/query/result_collector.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rule_planner_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int64_t kStart = 1356998400;  // a midnight
constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86'400;

class RulePlannerTest : public testing::Test {
 protected:
  RulePlannerTest() {
    options_.clock = &clock_;
    options_.seal_in_background = false;
  }

  void Open(std::string_view rules = "m* 10m, 1h (sum count)") {
    options_.rollup_rules = *MetricRules::Parse(rules);
    tsdb_ = *Tsdb::Open(options_);
  }
  void Put(const std::string& tags, int64_t second, int64_t value) {
    OwnedPoint point("m", tags, kStart + second, value);
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }
  void PutHours(const std::string& tags, int64_t first, int64_t hours) {
    for (int64_t second = first * kHour; second < (first + hours) * kHour; second += 300)
      Put(tags, second, second % 7000 - 1000);
  }
  void PassUntil(int64_t second) {
    clock_.Set((kStart + second) * 1000);
    ASSERT_OK(tsdb_->maintenance().SealDue());
    ASSERT_OK(tsdb_->maintenance().ComputeRollups());
  }

  static QuerySpec Spec(std::string_view downsample,
                        int64_t from = 0,
                        int64_t until = 4 * kDay,
                        Aggregator aggregator = Aggregator::kSum) {
    QuerySpec spec = MakeQuery(aggregator, "m", {}, kStart + from, kStart + until);
    if (!downsample.empty()) spec.queries[0].downsample = *ParseDownsampleSpec(downsample);
    return spec;
  }
  // The results as text; sets method_.
  std::string Run(const QuerySpec& spec) {
    QueryResult result;
    ResultCollector collector(&result);
    QueryControl control;
    EXPECT_OK(tsdb_->queries().Query(spec, &collector, &control));
    method_.clear();
    for (const PlanReport& plan : control.plans())
      method_ = plan.method;
    std::string text;
    for (const ResultSeries& series : result.series) {
      text += series.metric;
      for (const auto& [key, value] : series.tags)
        text += fmt::format(" {}={}", key, value);
      for (const ResultPoint& point : series.points)
        text += fmt::format(" {}:{:.6f}", point.ms / 1000 - kStart, point.value.ToDouble());
      text += '\n';
    }
    return text;
  }
  // The answer, which is that of the points.
  std::string RunChecked(QuerySpec spec) {
    const std::string answer = Run(spec);
    const std::string method = method_;
    spec.may_use_rollups = false;
    EXPECT_EQ(answer, Run(spec)) << method;
    method_ = method;
    return answer;
  }

  TempDir directory_;
  ManualClock clock_{kStart * 1000};
  Options options_ = TinyOptions(directory_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
  std::string method_;
};

TEST_F(RulePlannerTest, TheLongestLevelAnswersAndThePointsAfterIt) {
  Open();
  PutHours("host=a", 0, 8);
  PassUntil(6 * kHour);

  RunChecked(Spec("1h-sum"));
  EXPECT_EQ(method_, "_rollup/1h-sum/m, m");
  RunChecked(Spec("30m-max"));
  EXPECT_EQ(method_, "_rollup/10m-max/m, m");
  RunChecked(Spec("1h-max"));
  EXPECT_EQ(method_, "_rollup/10m-max/m, m");
  RunChecked(Spec("2h-avg"));
  EXPECT_EQ(method_, "_rollup/1h-sum/m, m, _rollup/1h-count/m");
  RunChecked(Spec("1h-sum", 0, 4 * kHour - 1));
  EXPECT_EQ(method_, "_rollup/1h-sum/m");
}

TEST_F(RulePlannerTest, OtherQueriesReadThePoints) {
  Open();
  PutHours("host=a", 0, 4);
  PassUntil(6 * kHour);

  for (const std::string_view downsample : {"5m-sum", "15m-dev", "10m-first", "0all-sum", ""}) {
    RunChecked(Spec(downsample));
    EXPECT_THAT(method_, Not(HasSubstr("_rollup"))) << downsample;
  }
  QuerySpec raw = Spec("1h-sum");
  raw.queries[0].rollup_usage = RollupUsage::kRaw;
  RunChecked(raw);
  EXPECT_THAT(method_, Not(HasSubstr("_rollup")));
}

// The cut is within the last bucket.
TEST_F(RulePlannerTest, ABucketMayHavePartsOfBoth) {
  Open("m 10m");
  PutHours("host=a", 0, 30);
  PutHours("host=b", 3, 20);
  PassUntil(28 * kHour);
  for (const std::string_view function :
       {"sum", "count", "min", "max", "avg", "zimsum", "mimmax"}) {
    for (const std::string_view interval : {"10m", "2h", "1d", "7d", "1dc", "1nc"}) {
      const std::string downsample = fmt::format("{}-{}", interval, function);
      SCOPED_TRACE(downsample);
      EXPECT_THAT(RunChecked(Spec(downsample)), Not(IsEmpty()));
      EXPECT_THAT(method_, HasSubstr("_rollup/10m-"));
      EXPECT_THAT(method_, HasSubstr(", m"));
      RunChecked(Spec(downsample + "-nan", 5 * kHour + 7, 27 * kHour + 100));
    }
  }
}

TEST_F(RulePlannerTest, ALevelAloneFillsEmptyBuckets) {
  Open("m 10m");
  PutHours("host=a", 0, 9);
  PutHours("host=b", 3, 2);
  PassUntil(12 * kHour);
  for (const std::string_view downsample : {"1h-max-nan", "2h-count-zero", "1h-avg-null"}) {
    SCOPED_TRACE(downsample);
    RunChecked(Spec(downsample, 0, 8 * kHour, Aggregator::kNone));
    EXPECT_THAT(method_, Not(HasSubstr(", m,")));
    EXPECT_THAT(method_, HasSubstr("_rollup/10m-"));
  }
}

TEST_F(RulePlannerTest, ALatePointIsSeenAtOnce) {
  Open();
  PutHours("host=a", 0, 10);
  PutHours("host=b", 0, 10);
  PassUntil(12 * kHour);
  RunChecked(Spec("1h-sum", 0, 8 * kHour));
  EXPECT_EQ(method_, "_rollup/1h-sum/m");

  Put("host=b", 5 * kHour, 100'000);
  EXPECT_THAT(RunChecked(Spec("1h-sum", 0, 8 * kHour)), HasSubstr("18000:1"));
  EXPECT_EQ(method_, "_rollup/1h-sum/m, m");
  // To the end of a bucket, a query reads one bucket more.
  RunChecked(Spec("1h-sum", 0, 5 * kHour - 2));
  EXPECT_EQ(method_, "_rollup/1h-sum/m") << "before the changed hour";
  RunChecked(Spec("1h-sum", 5 * kHour, 8 * kHour));
  EXPECT_THAT(method_, Not(HasSubstr("_rollup")));
  RunChecked(Spec("1h-sum", 6 * kHour, 8 * kHour));
  EXPECT_EQ(method_, "_rollup/1h-sum/m") << "after it";

  PassUntil(14 * kHour);
  RunChecked(Spec("1h-sum", 0, 8 * kHour));
  EXPECT_EQ(method_, "_rollup/1h-sum/m");
}

TEST_F(RulePlannerTest, GroupsRatesAndFiltersAreAsOfPoints) {
  Open();
  PutHours("host=a dc=x", 0, 9);
  PutHours("host=b dc=x", 2, 4);
  PutHours("host=c dc=y", 0, 9);
  PassUntil(7 * kHour);

  QuerySpec grouped = Spec("1h-avg");
  grouped.queries[0].filters = {*ParseTagValueFilter("dc", "*", /*group_by=*/true)};
  RunChecked(grouped);
  EXPECT_THAT(method_, HasSubstr("_rollup"));
  grouped.queries[0].rate = RateSpec();
  RunChecked(grouped);
  QuerySpec alone = Spec("1h-sum", 0, kDay, Aggregator::kNone);
  alone.queries[0].filters = {*ParseTagValueFilter("host", "a|c", /*group_by=*/false)};
  RunChecked(alone);
  EXPECT_THAT(method_, HasSubstr("_rollup"));
}

TEST_F(RulePlannerTest, SeriesOutsideOfARuleAreInTheAnswer) {
  Open("m{dc=x|y} 10m");
  PutHours("host=a dc=x", 0, 8);
  PutHours("host=b dc=z", 0, 8);
  PutHours("host=c", 1, 8);
  PassUntil(6 * kHour);
  for (const std::string_view downsample : {"1h-sum", "1h-avg", "6h-max"}) {
    SCOPED_TRACE(downsample);
    RunChecked(Spec(downsample));
    EXPECT_THAT(method_, HasSubstr("_rollup/10m-"));
    RunChecked(Spec(downsample, 0, kDay, Aggregator::kNone));
  }
}

TEST_F(RulePlannerTest, TheLevelAnswersForExpiredPoints) {
  options_.ttl_s = kDay;
  Open("m 10m");
  PutHours("host=a", 0, 40);
  PassUntil(20 * kHour);
  for (const std::string aggregate : {"sum", "count", "min", "max"})
    ASSERT_OK(tsdb_->retention().SetMetricTtl("_rollup/10m-" + aggregate + "/m", 0));
  const std::string early = RunChecked(Spec("1h-sum", 0, 10 * kHour - 1));
  PassUntil(42 * kHour);
  EXPECT_EQ(Run(Spec("1h-sum", 0, 10 * kHour - 1)), early);

  // A late point before the hours that expired, and after them.
  Put("host=a", 30 * kHour, 5);
  const std::string all = Run(Spec("1d-count", 0, 2 * kDay - 1));
  EXPECT_THAT(all, HasSubstr(" 0:288.0"));
  EXPECT_THAT(all, HasSubstr(" 86400:192.0"));
}

TEST_F(RulePlannerTest, AnotherRuleIsNotAnsweredByOldLevels) {
  Open("m 1h");
  PutHours("host=a", 0, 5);
  PassUntil(7 * kHour);
  ASSERT_OK(tsdb_->Close());
  Open("m{host=a} 1h");
  RunChecked(Spec("1h-sum"));
  EXPECT_THAT(method_, Not(HasSubstr("_rollup")));
}

TEST_F(RulePlannerTest, QueriesByTsuidReadLevels) {
  Open();
  PutHours("host=a", 0, 5);
  PutHours("host=b", 0, 5);
  PassUntil(7 * kHour);
  QuerySpec spec = Spec("1h-sum");
  const absl::StatusOr<QueryResult> result =
      tsdb_->queries().Query(Spec("", 0, kDay, Aggregator::kNone));
  ASSERT_OK(result);
  spec.queries[0].tsuids = result->series[1].tsuids;
  RunChecked(spec);
  EXPECT_THAT(method_, HasSubstr("_rollup/1h-sum/m"));
}

// Points, restarts and the work in the background in any order; each query is checked.
TEST_F(RulePlannerTest, AnswersAreThoseOfThePointsAtAnyMoment) {
  constexpr uint64_t kSeed = 20261127;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  Open("m{host=0|1} 10m, 1h (sum count), 6h (max)");
  const std::vector<std::string> downsamples = {"10m-sum", "30m-avg", "1h-count", "1h-avg",
                                                "6h-max",  "12h-min", "1d-avg",   "1dc-sum"};
  Put("host=0", 0, 1);  // queries need the name
  int64_t now = 2 * kHour;
  for (int step = 0; step < 600; ++step) {
    switch (random.Below(12)) {
      case 0:
        if (random.Below(5) != 0) break;
        ASSERT_OK(tsdb_->Close());
        tsdb_ = *Tsdb::Open(options_);
        break;
      case 1:
        now += static_cast<int64_t>(random.Below(2 * kHour));
        PassUntil(now);
        break;
      case 2:
        ASSERT_OK(tsdb_->maintenance().Seal());
        break;
      case 3:
        ASSERT_OK(tsdb_->maintenance().ComputeRollups());
        break;
      case 4:
      case 5: {
        const auto from = static_cast<int64_t>(random.Below(static_cast<uint64_t>(now)));
        const auto until = from + static_cast<int64_t>(random.Below(2 * kDay));
        RunChecked(Spec(downsamples[random.Below(downsamples.size())], from, until));
        break;
      }
      default:
        clock_.Set((kStart + now) * 1000);
        Put(fmt::format("host={}", random.Below(3)),
            static_cast<int64_t>(random.Below(static_cast<uint64_t>(now))),
            static_cast<int64_t>(random.Below(1000)) - 500);
    }
    ASSERT_FALSE(HasFailure()) << step;
  }
}

}  // namespace
}  // namespace hourcell::rule_planner_test
