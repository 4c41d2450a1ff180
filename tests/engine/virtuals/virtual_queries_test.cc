#include "engine/virtuals/virtual_queries.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/query/result_collector.h"
#include "tests/engine/virtuals/virtual_fixture.h"

namespace hourcell::virtual_queries_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

class VirtualQueriesTest : public VirtualTest {
 protected:
  static QuerySpec RandomQuery(Random* random) {
    constexpr Aggregator kAggregators[] = {Aggregator::kSum, Aggregator::kAvg, Aggregator::kMax,
                                           Aggregator::kNone, Aggregator::kP90};
    constexpr std::string_view kDownsamples[] = {
        "", "5m-avg", "1h-max", "10m-sum-zero", "0all-sum", "7m-count-nan"};
    const auto minute = [random] {
      return static_cast<int64_t>(random->Below(uint64_t{kHours} * 60)) * 60;
    };
    int64_t from = kStart + minute();
    int64_t to = kStart + minute() + 17;
    if (from > to) std::swap(from, to);
    QuerySpec spec = MakeQuery(kAggregators[random->Below(5)], "", {}, from, to);
    SubQuery& query = spec.queries[0];
    const std::string_view downsample = kDownsamples[random->Below(6)];
    if (!downsample.empty()) query.downsample = *ParseDownsampleSpec(downsample);
    if (random->Below(3) == 0) query.rate = RateSpec();
    if (random->Below(2) == 0) query.filters.push_back(Grouping("host"));
    if (random->Below(3) == 0) {
      query.filters.push_back(Filter("dc", FilterType::kLiteralOr, "east", random->Below(2) == 0));
    }
    if (random->Below(4) == 0) {
      query.filters.push_back(Filter("host", FilterType::kRegexp, "[abe]", false));
    }
    query.explicit_tags = random->Below(8) == 0;
    return spec;
  }

  // The results without the metric's name and UID.
  std::string TextOf(QuerySpec spec, std::string metric) {
    spec.queries[0].metric = std::move(metric);
    const absl::StatusOr<QueryResult> result = tsdb_->queries().Query(spec);
    EXPECT_OK(result.status());
    if (!result.ok()) return "";
    std::string text;
    for (const ResultSeries& one : result->series) {
      for (const auto& [key, value] : one.tags)
        text += fmt::format("{}={} ", key, value);
      text += fmt::format("({}) ", fmt::join(one.aggregate_tags, ","));
      for (const std::string& tsuid : one.tsuids)
        text += tsuid.substr(6) + ' ';
      for (const ResultPoint& point : one.points)
        text += fmt::format("{}:{} ", point.ms, point.value.ToDouble());
      text += '\n';
    }
    return text;
  }
};

TEST_F(VirtualQueriesTest, AnswersAsAStoredMetricWithTheCalculatedPoints) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  ASSERT_OK(tsdb_->names().DefineMetric("busy0", Sum(/*missing=*/0)));
  for (const bool is_sealed : {false, true}) {
    if (is_sealed) {
      ASSERT_OK(tsdb_->maintenance().Seal());
    }
    Random random(is_sealed ? 1 : 2);
    size_t answers = 0;
    for (int i = 0; i < 300; ++i) {
      const QuerySpec spec = RandomQuery(&random);
      const std::string want = TextOf(spec, "stored");
      EXPECT_EQ(TextOf(spec, "busy"), want) << i << ' ' << is_sealed;
      EXPECT_EQ(TextOf(spec, "busy0"), TextOf(spec, "stored0")) << i << ' ' << is_sealed;
      if (!want.empty()) ++answers;
    }
    EXPECT_GT(answers, 100u);
  }
}

TEST_F(VirtualQueriesTest, AVirtualMetricMayBeAnInput) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  ASSERT_OK(tsdb_->names().DefineMetric("half", {.formula = "a / 2", .inputs = {ByHost("busy")}}));
  ASSERT_OK(tsdb_->names().DefineMetric(
      "twice", {.formula = "a * 2 + 0 * b", .inputs = {ByHost("half"), ByHost("stored")}}));

  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const QuerySpec spec = RandomQuery(&random);
    EXPECT_EQ(TextOf(spec, "twice"), TextOf(spec, "stored")) << i;
  }
}

TEST_F(VirtualQueriesTest, FiltersOfTheQueryReachSeriesBelowTheGroups) {
  Open();
  for (const std::string_view cpu : {"0", "1"}) {
    Put("user", fmt::format("host=a cpu={}", cpu), kStart, cpu == "0" ? 1 : 10);
    Put("system", fmt::format("host=a cpu={}", cpu), kStart, 100);
  }
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));

  QuerySpec spec = MakeQuery(Aggregator::kSum, "", {}, kStart, kEnd);
  EXPECT_THAT(TextOf(spec, "busy"), HasSubstr("host=a () "));
  EXPECT_THAT(TextOf(spec, "busy"), HasSubstr("1356998400000:211"));
  spec.queries[0].filters = {Filter("cpu", FilterType::kLiteralOr, "0", false)};
  EXPECT_THAT(TextOf(spec, "busy"), HasSubstr("1356998400000:101"));
  spec.queries[0].filters = {Grouping("cpu")};
  EXPECT_THAT(TextOf(spec, "busy"), HasSubstr("1356998400000:101"));
  EXPECT_THAT(TextOf(spec, "busy"), HasSubstr("1356998400000:110"));
}

TEST_F(VirtualQueriesTest, TsuidsSelectJoinedSeries) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  QuerySpec spec = MakeQuery(Aggregator::kSum, "busy", {Grouping("host")}, kStart, kEnd);
  const QueryResult all = *tsdb_->queries().Query(spec);
  ASSERT_THAT(all.series, SizeIs(4));
  ASSERT_THAT(all.series[2].tsuids, SizeIs(1));

  spec.queries[0] = SubQuery();
  spec.queries[0].tsuids = all.series[2].tsuids;
  const QueryResult one = *tsdb_->queries().Query(spec);
  ASSERT_THAT(one.series, SizeIs(1));
  EXPECT_EQ(one.series[0].metric, "busy");
  EXPECT_EQ(one.series[0].tags, all.series[2].tags);
  EXPECT_EQ(one.series[0].points, all.series[2].points);
}

TEST_F(VirtualQueriesTest, TsuidsReadTheirOwnSeriesOnly) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  ASSERT_OK(tsdb_->names().DefineMetric("half", {.formula = "a / 2", .inputs = {ByHost("busy")}}));
  for (const std::string_view metric : {"busy", "half"}) {
    QuerySpec spec =
        MakeQuery(Aggregator::kNone, std::string(metric), {Grouping("host")}, kStart, kEnd);
    const QueryResult all = *tsdb_->queries().Query(spec);
    ASSERT_THAT(all.series, SizeIs(4));
    spec.queries[0] = SubQuery();
    spec.queries[0].aggregator = Aggregator::kNone;
    spec.queries[0].tsuids = {all.series[0].tsuids[0], all.series[3].tsuids[0]};
    const QueryResult two = *tsdb_->queries().Query(spec);

    ASSERT_THAT(two.series, SizeIs(2));
    EXPECT_EQ(two.series[0].points, all.series[0].points);
    EXPECT_EQ(two.series[1].points, all.series[3].points);
    EXPECT_LT(two.points_read, all.points_read * 2 / 3);
  }
}

TEST_F(VirtualQueriesTest, TopRanksJoinedSeries) {
  Open();
  Put("user", "host=a", kStart, 1);
  Put("system", "host=a", kStart, 50);
  Put("user", "host=b", kStart, 20);
  Put("system", "host=b", kStart, 1);
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  QuerySpec spec = MakeQuery(Aggregator::kSum, "", {Grouping("host")}, kStart, kEnd);
  spec.queries[0].functions = {*ParseFunctionSpec("top(1,max)")};
  EXPECT_THAT(TextOf(spec, "busy"), HasSubstr("host=a () "));
  EXPECT_THAT(TextOf(spec, "busy"), Not(HasSubstr("host=b")));
}

TEST_F(VirtualQueriesTest, PlansNameTheInputs) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  QuerySpec spec = MakeQuery(Aggregator::kSum, "stored", {}, kStart, kEnd);
  spec.queries.emplace_back().metric = "busy";
  QueryResult result;
  ResultCollector collector(&result);
  QueryControl control;
  ASSERT_OK(tsdb_->queries().Query(spec, &collector, &control));

  std::vector<size_t> indexes;
  for (const PlanReport& plan : control.plans())
    indexes.push_back(plan.query_index);
  EXPECT_THAT(indexes, ElementsAre(0, 1, 1));
  ASSERT_THAT(result.series, SizeIs(2));
  EXPECT_EQ(result.series[1].query_index, 1u);
  EXPECT_EQ(result.series[1].metric, "busy");
}

TEST_F(VirtualQueriesTest, MemoryIsBounded) {
  options_.query_memory_bytes = size_t{256} << 10;
  Open();
  for (int64_t at = 0; at < 10'000; ++at) {
    Put("user", "host=a", kStart + at, 1);
    Put("system", "host=a", kStart + at, 1);
  }
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  QuerySpec spec = MakeQuery(Aggregator::kSum, "user", {}, kStart, kEnd);
  spec.queries[0].downsample = *ParseDownsampleSpec("1h-avg");
  ASSERT_OK(tsdb_->queries().Query(spec).status());

  spec.queries[0].metric = "busy";
  EXPECT_THAT(tsdb_->queries().Query(spec).status(),
              StatusIs(absl::StatusCode::kResourceExhausted));
  spec.queries[0].metric = "user";
  EXPECT_OK(tsdb_->queries().Query(spec).status());
}

TEST_F(VirtualQueriesTest, IsNotAnsweredQuicklyNorByPercentiles) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  QuerySpec spec = MakeQuery(Aggregator::kSum, "busy", {}, kStart, kEnd);
  spec.quick =
      QuickBounds{.series = 1000, .rows = 1000, .points = 1'000'000, .bytes = size_t{1} << 20};
  EXPECT_THAT(tsdb_->queries().Query(spec).status(), StatusIs(absl::StatusCode::kAborted));
  spec.quick.reset();
  spec.queries[0].percentiles = {99};
  EXPECT_THAT(tsdb_->queries().Query(spec).status(),
              StatusIs(kInvalid, HasSubstr("\"busy\" is virtual; expected a metric with")));
}

TEST_F(VirtualQueriesTest, RenamesAndFollowersGetTheSame) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  const QuerySpec spec = MakeQuery(Aggregator::kSum, "", {}, kStart, kEnd);
  const std::string before = TextOf(spec, "busy");
  EXPECT_NE(before, "");

  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kMetric, "user", "cpu.user"));
  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kMetric, "busy", "cpu.busy"));
  EXPECT_EQ(TextOf(spec, "cpu.busy"), before);
  ASSERT_OK(tsdb_->Close());
  options_.follow = true;
  Open();
  EXPECT_EQ(TextOf(spec, "cpu.busy"), before);
}

TEST_F(VirtualQueriesTest, FiltersOfBothHold) {
  SubQuery input;
  input.metric = "m";
  input.filters = {Grouping("host")};
  SubQuery query;
  query.aggregator = Aggregator::kMax;
  query.metric = "v";
  query.filters = {Filter("dc", FilterType::kLiteralOr, "east", true)};
  const SubQuery both = WithFiltersOf(input, query);
  EXPECT_EQ(both.metric, "m");
  EXPECT_EQ(both.aggregator, Aggregator::kSum);
  EXPECT_THAT(both.filters, ElementsAre(input.filters[0], query.filters[0]));
}

}  // namespace
}  // namespace hourcell::virtual_queries_test
