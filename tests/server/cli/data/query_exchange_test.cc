#include "server/cli/data/query_exchange.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/query/query_json.h"
#include "server/query/query_string.h"
#include "tests/support/status_matchers.h"

namespace hourcell::query_exchange_test {
namespace {

SubQuery SubQueryOf(std::string metric, DownsampleSpec downsample) {
  SubQuery query;
  query.metric = std::move(metric);
  query.downsample = downsample;
  return query;
}

TEST(QueryExchangeTest, BodyAsksEverythingASpecHas) {
  SubQuery query = SubQueryOf(
      "cpu", {.interval_ms = 60000, .function = Aggregator::kAvg, .fill = FillPolicy::kZero});
  query.aggregator = Aggregator::kMax;
  query.filters = {
      {.tagk = "host", .type = FilterType::kRegexp, .filter = "a\"b", .group_by = true}};
  query.explicit_tags = true;
  query.rate = RateSpec{.counter = true, .counter_max = 10, .reset_value = 5};
  const QuerySpec spec{.start_ms = 1, .end_ms = 1356998400000, .queries = {query}};

  EXPECT_EQ(QueryBody(spec),
            R"({"start":"1ms","end":"1356998400000","msResolution":true,"queries":[)"
            R"({"aggregator":"max","metric":"cpu","downsample":"1m-avg-zero","rate":true,)"
            R"("rateOptions":{"counter":true,"counterMax":10,"resetValue":5,"dropResets":false},)"
            R"("explicitTags":true,)"
            R"("filters":[{"type":"regexp","tagk":"host","filter":"a\"b","groupBy":true}]}]})");
}

TEST(QueryExchangeTest, AServerReadsTheSubQueriesOfTheBody) {
  QuerySpec spec{.start_ms = 1, .end_ms = 1356998400000, .queries = {}};
  for (const char* const m : {
           "sum:percentiles[99.9,50]:lat{host=*}",
           "sum:1h-sum:show-histogram-buckets:lat{host=a}",
           "none:percentiles[0.5]:show-histogram-buckets:lat",
           "top(3,max):sum:rate{counter,100,5}:1dc-avg-scalar(1.5):explicit_tags:"
           "cpu{host=a|b}{dc=x}",
           "sum:ROLLUP_FALLBACK:1h-sum:cpu",
           "max:pre-agg:cpu",
       }) {
    const auto query = ParseSubQueryText(m);
    ASSERT_OK(query.status());
    spec.queries.push_back(*query);
  }
  spec.queries.emplace_back().tsuids = {"000001000001000001", "000001000001000002"};

  const auto request = ParseQueryJson(QueryBody(spec), 0);

  ASSERT_OK(request.status());
  EXPECT_EQ(request->spec.queries, spec.queries);
}

TEST(QueryExchangeTest, BodyOfADownsampleOverTheWholeRange) {
  const QuerySpec spec{.start_ms = 1,
                       .end_ms = 2,
                       .queries = {SubQueryOf("cpu", {.all = true, .function = Aggregator::kSum})}};

  EXPECT_THAT(QueryBody(spec), testing::HasSubstr(R"("downsample":"0all-sum")"));
}

TEST(QueryExchangeTest, ReplyKeepsTheTypesOfNumbers) {
  const auto reply = ParseQueryReply(
      R"([{"metric":"cpu","tags":{"host":"a"},"aggregateTags":["dc"],)"
      R"("dps":[[1000,1],[2000,1.0],[3000,"NaN"],[4000,null],[5000,-9223372036854775808]]}])");

  ASSERT_OK(reply.status());
  ASSERT_EQ(reply->series.size(), 1u);
  EXPECT_TRUE(reply->plans.empty());
  const auto& points = reply->series.front().points;
  ASSERT_EQ(points.size(), 5u);
  EXPECT_EQ(points[0], (ResultPoint{1000, Value::Integer(1)}));
  EXPECT_EQ(points[1], (ResultPoint{2000, Value::Float(1.0)}));
  EXPECT_TRUE(std::isnan(points[2].value.floating()));
  EXPECT_TRUE(std::isnan(points[3].value.floating()));
  EXPECT_EQ(points[4].value, Value::Integer(INT64_MIN));
}

TEST(QueryExchangeTest, ReplyTellsHowItWasRead) {
  const auto reply = ParseQueryReply(
      R"([{"metric":"cpu","tags":{},"dps":[]},{"explain":[{"query":1,"method":"skip scan",)"
      R"("metricSeries":100,"series":7,"groups":2,"hours":24,"expectedRows":168,)"
      R"("expectedBytes":10000,"rows":160,"dayRows":7,"rowsSkipped":9,"points":5760,"bytes":9000,)"
      R"("memory":65536}]}])");

  ASSERT_OK(reply.status());
  EXPECT_EQ(reply->series.size(), 1u);
  ASSERT_EQ(reply->plans.size(), 1u);
  const PlanReport& plan = reply->plans[0];
  EXPECT_EQ(plan.query_index, 1u);
  EXPECT_EQ(plan.method, "skip scan");
  EXPECT_EQ(plan.metric_series, 100u);
  EXPECT_EQ(plan.expected_bytes, 10'000u);
  EXPECT_EQ(plan.cost, (QueryCost{.series = 7,
                                  .rows = 160,
                                  .day_rows = 7,
                                  .rows_skipped = 9,
                                  .points = 5760,
                                  .bytes = 9000,
                                  .memory = 65'536}));
}

TEST(QueryExchangeTest, BodyMayAskForAnExplanation) {
  const QuerySpec spec{.start_ms = 1, .end_ms = 2, .queries = {}};

  EXPECT_EQ(QueryBody(spec, /*explain=*/true),
            R"({"start":"1ms","end":"2ms","msResolution":true,"queries":[],"explain":true})");
}

TEST(QueryExchangeTest, ReplyOfAnotherShapeIsDataLoss) {
  for (const std::string body :
       {"", "{}", "[1]", R"([{"metric":"m","tags":{},"dps":{"1":1}}])",
        R"([{"metric":"m","tags":{"a":1},"dps":[]}])", R"([{"metric":"m","tags":{},"dps":[[1]]}])",
        R"([{"metric":"m","tags":{},"dps":[[1,"x"]]}])", R"([{"explain":[{"query":0}]}])"}) {
    SCOPED_TRACE(body);
    EXPECT_THAT(ParseQueryReply(body).status(), StatusIs(absl::StatusCode::kDataLoss));
  }
}

}  // namespace
}  // namespace hourcell::query_exchange_test
