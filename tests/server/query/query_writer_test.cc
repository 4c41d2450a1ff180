#include "server/query/query_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/text/number.h"
#include "server/http/body/body_writer.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::query_writer_test {
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

// A series as the engine gives it.
struct OwnedView {
  std::vector<std::pair<std::string_view, std::string_view>> tags;
  std::vector<std::string_view> aggregate_tags;
  std::vector<std::string_view> tsuids;
  Span points;
  SeriesView view;
};

// `series` is borrowed.
OwnedView ViewOf(const ResultSeries& series) {
  OwnedView owned{.tags = {series.tags.begin(), series.tags.end()},
                  .aggregate_tags = {series.aggregate_tags.begin(), series.aggregate_tags.end()},
                  .tsuids = {series.tsuids.begin(), series.tsuids.end()},
                  .points = {},
                  .view = {}};
  for (const ResultPoint& point : series.points)
    owned.points.push_back(point.ms, point.value);
  owned.view = {
      .query_index = series.query_index,
      .metric = series.metric,
      .tags = owned.tags,
      .aggregate_tags = owned.aggregate_tags,
      .tsuids = owned.tsuids,
      .nan_as_null = series.nan_as_null,
      .annotations = series.annotations,
      .points = {.t = owned.points.t, .v = owned.points.v, .is_float = owned.points.is_float}};
  return owned;
}

// The output of a writer for series, or its error.
absl::StatusOr<std::string> TryWrite(const QuerySpec& spec,
                                     const std::vector<ResultSeries>& all,
                                     const QueryPrinting& printing,
                                     const std::vector<Annotation>& global_annotations = {},
                                     const QueryControl& control = {},
                                     int64_t elapsed_us = 0) {
  absl::Status status;
  HttpResponse response;
  response.produce = [&](BodyWriter* body, HttpResponse* /*failure*/) {
    QueryWriter writer(spec, printing, body);
    status = writer.OnBegin(global_annotations);
    for (const ResultSeries& series : all) {
      if (status.ok()) status = writer.OnSeries(ViewOf(series).view);
    }
    if (status.ok()) writer.Finish(control, elapsed_us);
    return status.ok();
  };
  HttpResponse printed = CompleteBody(std::move(response));
  if (!status.ok()) return status;
  return std::move(printed.body);
}

std::string Write(const ResultSeries& series, const QueryPrinting& printing = {}) {
  const absl::StatusOr<std::string> text = TryWrite({}, {series}, printing);
  EXPECT_OK(text);
  return text.ok() ? *text : "";
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
  series.tsuids = {std::string("\0\0\1\0\0\1\0\0\1", 9)};

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
  EXPECT_THAT(TryWrite({}, {MakeSeries({{kStartMs, Value::Float(-HUGE_VAL)}})}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, "Got Infinity: m at 1356998400000 ms"));
}

TEST(QueryWriterTest, EchoesTheSubQueryOfASeries) {
  QuerySpec spec;
  spec.queries.resize(2);
  spec.queries[1].metric = "other";
  ResultSeries series = MakeSeries({});
  series.query_index = 1;

  const absl::StatusOr<std::string> text = TryWrite(spec, {series}, {.show_query = true});

  ASSERT_OK(text);
  EXPECT_THAT(*text,
              HasSubstr(R"("aggregateTags":[],"query":{"aggregator":"sum","metric":"other",)"));
  EXPECT_THAT(*text, HasSubstr(R"("index":1,)"));
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
  ResultSeries series = MakeSeries({});
  series.tsuids = {std::string("\0\0\1\0\0\1\0\0\1", 9)};
  series.annotations = {note};

  const auto out = TryWrite({}, {series}, {.show_tsuids = true}, {global});

  ASSERT_OK(out);
  EXPECT_THAT(
      *out,
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
  std::vector<ResultSeries> all = {MakeSeries({{kStartMs, Value::Integer(1)}}), MakeSeries({}),
                                   MakeSeries({})};
  all[2].query_index = 1;

  const auto out = TryWrite(spec, all, {.show_summary = true});

  ASSERT_OK(out);
  EXPECT_THAT(*out, HasSubstr(R"("totalTime":0.0,"queryIdx_00":{"emittedDPs":1,"nanDPs":0},)"
                              R"("queryIdx_01":{"emittedDPs":0,"nanDPs":0}}}])"));
}

TEST(QueryWriterTest, TotalTimeHasFractionsOfAMillisecond) {
  const auto total = [](int64_t elapsed_us) {
    return TryWrite({}, {}, {.show_summary = true}, {}, {}, elapsed_us);
  };

  EXPECT_THAT(total(412), IsOkAndHolds(HasSubstr(R"("totalTime":0.412})")));
  EXPECT_THAT(total(1), IsOkAndHolds(HasSubstr(R"("totalTime":0.001})")));
  EXPECT_THAT(total(12'345'678), IsOkAndHolds(HasSubstr(R"("totalTime":12345.678})")));
}

TEST(QueryWriterTest, AddsTheSummary) {
  QueryControl control;
  control.rows = 3;
  control.points = 70;
  control.bytes = 210;
  control.memory_peak = 4096;
  control.series = 2;
  control.rows_skipped = 5;
  const ResultSeries series = MakeSeries({{kStartMs, Value::Float(kNan)}});

  const auto empty = TryWrite({}, {}, {.show_summary = true}, {}, control, 12'000);
  const auto with_series = TryWrite({}, {series}, {.show_summary = true}, {}, control, 12'000);

  ASSERT_OK(empty);
  ASSERT_OK(with_series);
  EXPECT_EQ(*empty, R"([{"statsSummary":{"rowsFromStorage":3,"bytesFromStorage":210,)"
                    R"("rowsSkipped":5,"dpsPreFilter":70,"series":2,"memory":4096,"emittedDPs":0,)"
                    R"("nanDPs":0,"totalTime":12.0}}])");
  EXPECT_THAT(*with_series, HasSubstr(R"(},{"statsSummary")"));
  EXPECT_THAT(*with_series, HasSubstr(R"("emittedDPs":1,"nanDPs":1,)"));
}

TEST(QueryWriterTest, ExplainsBetweenTheSeriesAndTheSummary) {
  QueryControl control;
  control.AddPlan({.query_index = 0,
                   .method = "skip scan",
                   .metric_series = 100,
                   .series = 7,
                   .groups = 2,
                   .hours = 24,
                   .expected_rows = 168,
                   .expected_bytes = 10'000,
                   .cost = {.series = 7,
                            .rows = 160,
                            .day_rows = 7,
                            .rows_skipped = 9,
                            .points = 5760,
                            .bytes = 9000,
                            .cells = 12,
                            .blocks_cached = 20,
                            .blocks_read = 4,
                            .memory = 65536}});

  const auto out =
      TryWrite({}, {MakeSeries({})}, {.show_summary = true, .explain = true}, {}, control);

  ASSERT_OK(out);
  EXPECT_THAT(*out,
              HasSubstr(R"("dps":{}},{"explain":[{"query":0,"method":"skip scan",)"
                        R"("metricSeries":100,"series":7,"groups":2,"hours":24,)"
                        R"("expectedRows":168,"expectedBytes":10000,"rows":160,)"
                        R"("dayRows":7,)"
                        R"("rowsSkipped":9,"points":5760,"bytes":9000,"memory":65536,"cells":12,)"
                        R"("blocksCached":20,)"
                        R"("blocksRead":4}]},)"
                        R"({"statsSummary":)"));
}

// The points as they are defined to be printed, without buffers and tricks.
std::string NaivePoints(const ResultSeries& series, const QueryPrinting& printing) {
  std::string text;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const auto time = [&](size_t at) { return series.points[at].ms / (printing.ms ? 1 : 1000); };
    if (i + 1 < series.points.size() && time(i + 1) == time(i)) continue;
    const Value value = series.points[i].value;
    std::string number = value.is_integer()             ? std::to_string(value.integer())
                         : std::isnan(value.floating()) ? (series.nan_as_null ? "null" : "\"NaN\"")
                                                        : JavaDouble(value.floating());
    text += text.empty() ? "" : ",";
    text += printing.arrays ? fmt::format("[{},{}]", time(i), number)
                            : fmt::format("\"{}\":{}", time(i), number);
  }
  return printing.arrays ? "[" + text + "]" : "{" + text + "}";
}

// Enough points for many pieces, of all lengths of numbers.
TEST(QueryWriterTest, LongSeriesArePrintedLikeShortOnes) {
  constexpr uint64_t kSeed = 20261121;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (const QueryPrinting& printing :
       {QueryPrinting{}, QueryPrinting{.ms = true}, QueryPrinting{.arrays = true},
        QueryPrinting{.ms = true, .arrays = true}}) {
    ResultSeries series = MakeSeries({});
    series.nan_as_null = random.Below(2) == 0;
    int64_t ms = kStartMs;
    for (int i = 0; i < 20'000; ++i) {
      ms += static_cast<int64_t>(1 + random.Below(3000));
      const auto bits = random.Next() >> random.Below(64);
      double number = std::bit_cast<double>(random.Next());
      if (random.Below(3) == 0) number = static_cast<double>(bits % 1'000'000) / 100;
      if (std::isinf(number)) number = kNan;
      series.points.push_back({ms, random.Below(2) == 0 ? Value::Integer(static_cast<int64_t>(bits))
                                                        : Value::Float(number)});
    }

    const std::string text = Write(series, printing);

    const size_t at = text.find("\"dps\":");
    ASSERT_NE(at, std::string::npos);
    EXPECT_TRUE(text.substr(at + 6) == NaivePoints(series, printing) + "}]");
  }
}

// A group of many series is not printed in one piece.
TEST(QueryWriterTest, ManyTsuidsAreSentInPieces) {
  class Pieces : public BodyWriter {
   public:
    size_t largest = 0;
    size_t bytes = 0;

   private:
    absl::Status Take(std::string* piece) override {
      largest = std::max(largest, piece->size());
      bytes += piece->size();
      piece->clear();
      return absl::OkStatus();
    }
  } body;
  ResultSeries series = MakeSeries({{.ms = kStartMs, .value = Value::Integer(1)}});
  series.tsuids.assign(100'000, std::string("\0\0\1\0\0\1\0\0\1", 9));
  const OwnedView owned = ViewOf(series);
  QuerySpec spec;
  spec.queries.emplace_back();
  QueryWriter writer(spec, {.show_tsuids = true}, &body);

  ASSERT_OK(writer.OnSeries(owned.view));

  EXPECT_GT(body.bytes, 100'000u * 20);
  EXPECT_LT(body.largest, kBodyPieceBytes + 1000);
}

}  // namespace
}  // namespace hourcell::query_writer_test
