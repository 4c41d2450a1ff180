#include "server/query_writer.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell {
namespace {

using testing::HasSubstr;

constexpr int64_t kStartMs = 1'356'998'400'000;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ResultSeries MakeSeries(std::vector<ResultPoint> points) {
  ResultSeries series;
  series.metric = "m";
  series.tags = {{"host", "a"}};
  series.points = std::move(points);
  return series;
}

std::string Write(ResultSeries series, const QueryPrinting& printing = {}) {
  QueryResult result;
  result.series.push_back(std::move(series));
  std::string out;
  EXPECT_OK(AppendQueryResult({}, result, printing, /*elapsed_ms=*/0, &out));
  return out;
}

// The text of one value.
std::string WriteValue(Value value) {
  const std::string text = Write(MakeSeries({{kStartMs, value}}));
  const size_t begin = text.find("00\":") + 4;
  return text.substr(begin, text.size() - begin - 3);
}

TEST(QueryWriterTest, WritesDoublesAsTheVectorsSay) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "output-format")) {
    if (!Has(vector.given, "double_bits_value")) continue;
    SCOPED_TRACE(vector.from);
    const double value = std::strtod(TextOf(vector.given, "double_bits_value").c_str(), nullptr);
    EXPECT_EQ(WriteValue(Value::Float(value)), TextOf(vector.expect, "json_text"));
    ++run;
  }
  EXPECT_EQ(run, 10);
}

TEST(QueryWriterTest, WritesIntegersAsTheyAre) {
  EXPECT_EQ(WriteValue(Value::Integer(0)), "0");
  EXPECT_EQ(WriteValue(Value::Integer(std::numeric_limits<int64_t>::min())),
            "-9223372036854775808");
}

TEST(QueryWriterTest, WritesTheFieldsInOpenTsdbsOrder) {
  ResultSeries series = MakeSeries({{kStartMs, Value::Integer(1)}});
  series.aggregate_tags = {"dc", "ro\"w"};
  series.tsuids = {"000001000001000001"};

  EXPECT_EQ(Write(series, {.show_tsuids = true}),
            R"([{"metric":"m","tags":{"host":"a"},"aggregateTags":["dc","ro\"w"],)"
            R"("tsuids":["000001000001000001"],"dps":{"1356998400":1}}])");
}

TEST(QueryWriterTest, WritesArraysAndMilliseconds) {
  const ResultSeries series =
      MakeSeries({{kStartMs, Value::Integer(1)}, {kStartMs + 500, Value::Float(2)}});

  EXPECT_THAT(Write(series, {.ms = true, .arrays = true}),
              HasSubstr(R"("dps":[[1356998400000,1],[1356998400500,2.0]])"));
  EXPECT_THAT(Write(series, {.ms = true}),
              HasSubstr(R"("dps":{"1356998400000":1,"1356998400500":2.0})"));
}

TEST(QueryWriterTest, WritesTheLastPointOfASecond) {
  const ResultSeries series = MakeSeries({{kStartMs, Value::Integer(1)},
                                          {kStartMs + 500, Value::Integer(2)},
                                          {kStartMs + 1000, Value::Integer(3)}});

  EXPECT_THAT(Write(series), HasSubstr(R"("dps":{"1356998400":2,"1356998401":3})"));
  EXPECT_THAT(Write(series, {.arrays = true}),
              HasSubstr(R"("dps":[[1356998400,2],[1356998401,3]])"));
}

TEST(QueryWriterTest, WritesNoPointsAsAnEmptyList) {
  EXPECT_THAT(Write(MakeSeries({})), HasSubstr(R"("dps":{}})"));
  EXPECT_THAT(Write(MakeSeries({}), {.arrays = true}), HasSubstr(R"("dps":[]})"));
}

TEST(QueryWriterTest, WritesNanByTheFillPolicy) {
  ResultSeries series = MakeSeries({{kStartMs, Value::Float(kNan)}});
  const std::string as_text = Write(series);
  series.nan_as_null = true;

  EXPECT_THAT(as_text, HasSubstr(R"({"1356998400":"NaN"})"));
  EXPECT_THAT(Write(series), HasSubstr(R"({"1356998400":null})"));
}

TEST(QueryWriterTest, RefusesInfinity) {
  QueryResult result;
  result.series.push_back(MakeSeries({{kStartMs, Value::Float(-HUGE_VAL)}}));
  std::string out;

  EXPECT_THAT(AppendQueryResult({}, result, {}, 0, &out),
              StatusIs(absl::StatusCode::kInvalidArgument, "Got Infinity: m at 1356998400000 ms"));
}

TEST(QueryWriterTest, EchoesTheSubQuery) {
  QuerySpec spec;
  SubQuery& query = spec.queries.emplace_back();
  query.metric = "m";
  query.filters = {{"dc", FilterType::kLiteralOr, "lga", false},
                   {"host", FilterType::kWildcard, "*", true}};
  query.downsample = DownsampleSpec{.interval_ms = 60'000, .fill = FillPolicy::kNan};
  query.rate = RateSpec{.counter = true};
  QueryResult result;
  result.series.push_back(MakeSeries({}));
  std::string out;

  ASSERT_OK(AppendQueryResult(spec, result, {.show_query = true}, 0, &out));

  EXPECT_THAT(
      out,
      HasSubstr(
          R"("query":{"aggregator":"sum","metric":"m","tsuids":null,"downsample":"1m-avg-nan",)"
          R"("rate":true,"rateOptions":{"counter":true,"counterMax":9223372036854775807,)"
          R"("resetValue":0,"dropResets":false},"filters":[)"
          R"({"tagk":"dc","filter":"lga","group_by":false,"type":"literal_or"},)"
          R"({"tagk":"host","filter":"*","group_by":true,"type":"wildcard"}],)"
          R"x("explicitTags":false,"index":0,"tags":{"host":"wildcard(*)"},)x"
          R"("percentiles":null,"showHistogramBuckets":false,"rollupUsage":null,)"
          R"("preAggregate":false,"useFuzzyFilter":true,"useMultiGets":true})"));
}

TEST(QueryWriterTest, EchoesAQueryByTsuid) {
  QuerySpec spec;
  spec.queries.emplace_back().tsuids = {"000001000001000001"};
  spec.queries[0].percentiles = {50, 99.9};
  QueryResult result;
  result.series.push_back(MakeSeries({}));
  std::string out;

  ASSERT_OK(AppendQueryResult(spec, result, {.show_query = true}, 0, &out));

  EXPECT_THAT(out, HasSubstr(R"("metric":null,"tsuids":["000001000001000001"],)"));
  EXPECT_THAT(out, HasSubstr(R"("percentiles":[50.0,99.9],)"));
}

TEST(QueryWriterTest, WritesAnnotationsBeforeThePoints) {
  const Annotation note{.tsuid = "000001000001000001",
                        .start_time = 1356998400,
                        .end_time = 1356998460,
                        .description = "a \"b\"",
                        .notes = "",
                        .custom = {{"owner", "ops"}, {"dept", "x"}}};
  const Annotation global{
      .tsuid = "", .start_time = 5, .description = "d", .notes = "n", .custom = {}};
  QueryResult result;
  result.series.push_back(MakeSeries({}));
  result.series[0].tsuids = {note.tsuid};
  result.series[0].annotations = {note};
  result.global_annotations = {global};
  std::string out;

  ASSERT_OK(AppendQueryResult({}, result, {.show_tsuids = true}, 0, &out));

  EXPECT_THAT(
      out,
      HasSubstr(
          R"("tsuids":["000001000001000001"],"annotations":[{"tsuid":"000001000001000001",)"
          R"("startTime":1356998400,"endTime":1356998460,"description":"a \"b\"","notes":"",)"
          R"("custom":{"owner":"ops","dept":"x"}}],"globalAnnotations":[{"tsuid":null,)"
          R"("startTime":5,"endTime":0,"description":"d","notes":"n","custom":null}],"dps":{}})"));
}

TEST(QueryWriterTest, AddsTheStatisticsOfASeries) {
  const ResultSeries series =
      MakeSeries({{kStartMs, Value::Integer(1)}, {kStartMs + 1000, Value::Float(kNan)}});

  EXPECT_THAT(Write(series, {.show_stats = true}),
              HasSubstr(R"(},"stats":{"emittedDPs":2,"nanDPs":1}}])"));
}

TEST(QueryWriterTest, SummaryTellsTheSubQueriesApart) {
  QuerySpec spec;
  spec.queries.resize(2);
  QueryResult result;
  result.series = {MakeSeries({{kStartMs, Value::Integer(1)}}), MakeSeries({}), MakeSeries({})};
  result.series[2].query_index = 1;
  std::string out;

  ASSERT_OK(AppendQueryResult(spec, result, {.show_summary = true}, 0, &out));

  EXPECT_THAT(out, HasSubstr(R"("totalTime":0.0,"queryIdx_00":{"emittedDPs":1,"nanDPs":0},)"
                             R"("queryIdx_01":{"emittedDPs":0,"nanDPs":0}}}])"));
}

TEST(QueryWriterTest, AddsTheSummary) {
  QueryResult result{.series = {}, .rows_read = 3, .points_read = 70};
  std::string empty;
  std::string with_series;

  ASSERT_OK(AppendQueryResult({}, result, {.show_summary = true}, 12, &empty));
  result.series.push_back(MakeSeries({{kStartMs, Value::Float(kNan)}}));
  ASSERT_OK(AppendQueryResult({}, result, {.show_summary = true}, 12, &with_series));

  EXPECT_EQ(empty, R"([{"statsSummary":{"rowsFromStorage":3,"dpsPreFilter":70,"emittedDPs":0,)"
                   R"("nanDPs":0,"totalTime":12.0}}])");
  EXPECT_THAT(with_series, HasSubstr(R"(},{"statsSummary")"));
  EXPECT_THAT(with_series, HasSubstr(R"("emittedDPs":1,"nanDPs":1,)"));
}

TEST(QueryWriterTest, DownsampleTextParsesBack) {
  for (const std::string text :
       {"10s-sum", "1m-avg-nan", "90m-max", "1h-min-zero", "7d-dev-null", "500ms-count", "1dc-sum",
        "3n-p99", "2yc-ep50r3-nan", "1m-avg-scalar(-1.5)"}) {
    const auto spec = ParseDownsampleSpec(text);
    ASSERT_OK(spec);
    EXPECT_EQ(DownsampleText(*spec), text);
  }
  EXPECT_EQ(DownsampleText(*ParseDownsampleSpec("0all-sum")), "0all-sum");
  // Of a program, which gives milliseconds only.
  EXPECT_EQ(DownsampleText({.interval_ms = 7'200'000}), "2h-avg");
  EXPECT_EQ(DownsampleText({.interval_ms = 1'500}), "1500ms-avg");
}

}  // namespace
}  // namespace hourcell
