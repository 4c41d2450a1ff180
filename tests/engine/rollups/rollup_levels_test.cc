#include "engine/rollups/rollup_levels.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
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

namespace hourcell::rollup_levels_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kStart = 1356998400;
constexpr int64_t kHourSeconds = 3600;
constexpr int kHours = 30;

RollupConfig Config() {
  const auto level = [](std::string interval, std::string row_span, bool is_default) {
    return RollupIntervalFields{.interval = std::move(interval),
                                .row_span = std::move(row_span),
                                .table = "t",
                                .pre_aggregation_table = "p",
                                .delay_sla = is_default ? "" : "2h",
                                .is_default = is_default};
  };
  return *RollupConfig::Make(
      {{.name = "sum", .id = 0},
       {.name = "count", .id = 1},
       {.name = "min", .id = 2},
       {.name = "max", .id = 3}},
      {level("1m", "1h", true), level("10m", "1d", false), level("1h", "1d", false)});
}

class RollupLevelsTest : public testing::Test {
 protected:
  RollupLevelsTest() {
    options_.rollups = Config();
    options_.clock = &clock_;
  }

  void Open() { tsdb_ = *Tsdb::Open(options_); }

  void Put(const std::string& metric, const std::string& tags, int64_t time_s, int64_t value) {
    OwnedPoint point(metric, tags, time_s, value);
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }

  // Points of three series, and their rollups of 10 minutes and hours.
  void PutPointsAndRollups() {
    Random random(7);
    for (const std::string_view host : {"a", "b", "c"}) {
      const std::string tags = fmt::format("host={} dc={}", host, host == "c" ? "west" : "east");
      std::map<std::pair<std::string, int64_t>, std::vector<int64_t>> parts;
      for (int64_t at = 0; at < kHours * kHourSeconds; at += 150) {
        if (random.Below(4) == 0) continue;
        const auto value = static_cast<int64_t>(random.Below(1000)) - 300;
        Put("m", tags, kStart + at, value);
        parts[{"10m", kStart + at - at % 600}].push_back(value);
        parts[{"1h", kStart + at - at % kHourSeconds}].push_back(value);
      }
      for (const auto& [part, values] : parts)
        PutRollups(part.first, tags, part.second, values);
    }
  }

  void PutRollups(const std::string& interval,
                  const std::string& tags,
                  int64_t time_s,
                  const std::vector<int64_t>& values) {
    int64_t sum = 0;
    for (const int64_t value : values)
      sum += value;
    const auto put = [&](const char* aggregate, int64_t value) {
      Put(RollupMetric({.interval = interval, .aggregator = aggregate}, "m"), tags, time_s, value);
    };
    put("sum", sum);
    put("count", static_cast<int64_t>(values.size()));
    put("min", *std::ranges::min_element(values));
    put("max", *std::ranges::max_element(values));
  }

  static QuerySpec Spec(std::string_view downsample,
                        RollupUsage usage = RollupUsage::kNoFallback,
                        Aggregator aggregator = Aggregator::kSum) {
    QuerySpec spec = MakeQuery(aggregator, "m", {}, kStart, kStart + kHours * kHourSeconds - 1);
    if (!downsample.empty()) spec.queries[0].downsample = *ParseDownsampleSpec(downsample);
    spec.queries[0].rollup_usage = usage;
    return spec;
  }

  // The results; sets method_.
  std::vector<ResultSeries> Run(const QuerySpec& spec) {
    QueryResult result;
    ResultCollector collector(&result);
    QueryControl control;
    const absl::Status ran = tsdb_->queries().Query(spec, &collector, &control);
    EXPECT_OK(ran);
    method_.clear();
    for (const PlanReport& plan : control.plans())
      method_ = plan.method;
    return result.series;
  }

  static std::string TextOf(const std::vector<ResultSeries>& results) {
    std::string text;
    for (const ResultSeries& one : results) {
      text += fmt::format("{} ", one.metric);
      for (const auto& [key, value] : one.tags)
        text += fmt::format("{}={} ", key, value);
      for (const ResultPoint& point : one.points)
        text += fmt::format("{}:{:.6f} ", point.ms, point.value.ToDouble());
      text += '\n';
    }
    return text;
  }

  TempDir directory_;
  ManualClock clock_{(kStart + kHours * kHourSeconds) * 1000};
  Options options_ = TinyOptions(directory_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
  std::string method_;
};

TEST_F(RollupLevelsTest, RollupsAnswerAsTheirPoints) {
  Open();
  PutPointsAndRollups();
  for (const bool is_sealed : {false, true}) {
    if (is_sealed) {
      ASSERT_OK(tsdb_->maintenance().Seal());
    }
    for (const std::string_view interval : {"10m", "30m", "1h", "6h", "1d"}) {
      for (const std::string_view function : {"sum", "count", "min", "max", "avg"}) {
        for (const Aggregator aggregator : {Aggregator::kSum, Aggregator::kNone}) {
          const std::string downsample = fmt::format("{}-{}", interval, function);
          SCOPED_TRACE(downsample);
          const std::string of_points =
              TextOf(Run(Spec(downsample, RollupUsage::kRaw, aggregator)));
          EXPECT_THAT(method_, testing::Not(HasSubstr("_rollup")));

          const std::string of_rollups =
              TextOf(Run(Spec(downsample, RollupUsage::kNoFallback, aggregator)));

          EXPECT_THAT(method_, HasSubstr(interval == "10m" || interval == "30m" ? "_rollup/10m-"
                                                                                : "_rollup/1h-"));
          EXPECT_EQ(of_rollups, of_points);
        }
      }
    }
  }
}

TEST_F(RollupLevelsTest, GroupsRatesAndFillsAreThoseOfThePoints) {
  Open();
  PutPointsAndRollups();
  QuerySpec spec = Spec("1h-avg-zero", RollupUsage::kRaw);
  spec.queries[0].filters = {{"dc", FilterType::kWildcard, "*", true}};
  spec.queries[0].rate = RateSpec{};
  const std::string of_points = TextOf(Run(spec));

  spec.queries[0].rollup_usage = RollupUsage::kNoFallback;
  const std::vector<ResultSeries> of_rollups = Run(spec);

  EXPECT_THAT(of_rollups, SizeIs(2));
  EXPECT_EQ(TextOf(of_rollups), of_points);
}

TEST_F(RollupLevelsTest, OtherQueriesReadThePoints) {
  Open();
  PutPointsAndRollups();
  for (const std::string_view downsample : {"", "0all-sum", "45s-sum", "1h-p99", "1h-dev"}) {
    SCOPED_TRACE(downsample);
    EXPECT_THAT(Run(Spec(downsample)), SizeIs(1));
    EXPECT_THAT(method_, testing::Not(HasSubstr("_rollup")));
  }
}

TEST_F(RollupLevelsTest, AResultLooksLikeOneOfPoints) {
  Open();
  Put("m", "host=a", kStart, 1);
  PutRollups("1h", "host=a", kStart, {5});

  const std::vector<ResultSeries> results = Run(Spec("1h-sum"));
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].metric, "m");
  EXPECT_EQ(results[0].points.at(0).value.ToDouble(), 5);
  EXPECT_EQ(results[0].tsuids, Run(Spec("1h-sum", RollupUsage::kRaw))[0].tsuids);

  QuerySpec by_tsuid = Spec("1h-sum");
  by_tsuid.queries[0].tsuids = {results[0].tsuids[0]};
  ASSERT_THAT(Run(by_tsuid), SizeIs(1));
  EXPECT_THAT(method_, HasSubstr("_rollup/1h-sum/m"));
}

TEST_F(RollupLevelsTest, AQueryThatNamesALevelReadsItsPoints) {
  Open();
  PutRollups("1h", "host=a", kStart, {2, 3});
  QuerySpec of_level = Spec("1h-sum");
  of_level.queries[0].metric = "_rollup/1h-count/m";

  const std::vector<ResultSeries> results = Run(of_level);

  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].points.at(0).value.ToDouble(), 2);
}

TEST_F(RollupLevelsTest, AMetricMayHaveRollupsAlone) {
  Open();
  PutRollups("1h", "host=a", kStart, {2, 3});

  ASSERT_THAT(Run(Spec("1h-sum")), SizeIs(1));
  EXPECT_THAT(Run(Spec("")), IsEmpty());
}

TEST_F(RollupLevelsTest, AFallbackReadsTheNextLevelThatHasPoints) {
  Open();
  Put("m", "host=a", kStart, 1);

  EXPECT_THAT(Run(Spec("1h-sum")), IsEmpty());
  EXPECT_THAT(Run(Spec("1h-sum", RollupUsage::kFallbackRaw)), SizeIs(1));
  EXPECT_EQ(method_, "m");
  PutRollups("10m", "host=a", kStart, {5});
  EXPECT_THAT(Run(Spec("1h-sum", RollupUsage::kFallback)), SizeIs(1));
  EXPECT_EQ(method_, "_rollup/10m-sum/m");
}

TEST_F(RollupLevelsTest, TheEndIsReadFromThePoints) {
  options_.split_rollups = true;
  Open();
  for (int hour = 0; hour < kHours; ++hour) {
    Put("m", "host=a", kStart + hour * kHourSeconds, 1);
    PutRollups("1h", "host=a", kStart + hour * kHourSeconds, {100});
  }
  clock_.Set((kStart + kHours * kHourSeconds + 60) * 1000);

  const std::vector<ResultSeries> results = Run(Spec("1h-avg"));

  ASSERT_THAT(results, SizeIs(1));
  ASSERT_EQ(results[0].points.size(), size_t{kHours});
  for (int hour = 0; hour < kHours; ++hour) {
    EXPECT_EQ(results[0].points[static_cast<size_t>(hour)].value.ToDouble(),
              hour < kHours - 2 ? 100 : 1)
        << hour;
  }
  EXPECT_EQ(method_, "_rollup/1h-sum/m, _rollup/1h-count/m, m");
}

TEST_F(RollupLevelsTest, PreAggregatesAreApart) {
  Open();
  Put("m", "host=a", kStart, 1);
  Put(RollupMetric({.group_by = "max"}, "m"), "dc=east _aggregate=MAX", kStart, 7);
  Put(RollupMetric({.interval = "1h", .aggregator = "sum", .group_by = "max"}, "m"),
      "dc=east _aggregate=MAX", kStart, 9);
  QuerySpec raw = Spec("");
  raw.queries[0].pre_aggregate = true;
  QuerySpec hours = Spec("1h-sum");
  hours.queries[0].filters = {{"_aggregate", FilterType::kLiteralOr, "MAX", false}};

  EXPECT_EQ(Run(raw).at(0).points.at(0).value.ToDouble(), 7);
  EXPECT_EQ(Run(hours).at(0).points.at(0).value.ToDouble(), 9);
  EXPECT_THAT(Run(Spec("")), SizeIs(1));
}

TEST_F(RollupLevelsTest, WithoutRollupsPreAggregatesAreRefused) {
  options_.rollups.reset();
  Open();
  Put("m", "host=a", kStart, 1);
  QuerySpec spec = Spec("");
  spec.queries[0].pre_aggregate = true;
  QueryResult result;
  ResultCollector collector(&result);

  EXPECT_TRUE(absl::IsInvalidArgument(tsdb_->queries().Query(spec, &collector, nullptr)));
}

}  // namespace
}  // namespace hourcell::rollup_levels_test
