// The store-level vectors of tests/data/query.json, run through the stages on series in memory.

#include <algorithm>
#include <charconv>
#include <cmath>

#include <gtest/gtest.h>

#include "engine/query/stages/downsampler.h"
#include "tests/engine/query/query_evaluator.h"
#include "tests/support/query_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::query_vectors_test {
namespace {

using simdjson::dom::element;

int64_t ToNumber(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void ExpectValue(const Value& value, element want) {
  if (want.is_string()) {
    EXPECT_EQ(std::string_view(want), "NaN");
    EXPECT_TRUE(std::isnan(value.ToDouble()));
    return;
  }
  EXPECT_EQ(value.is_integer(), want.is_int64());
  EXPECT_EQ(value.ToDouble(), double(want));
}

// `want` has [time text, value] pairs that follow each other in `points` from `offset` on.
void ExpectPoints(const std::vector<ResultPoint>& points, size_t offset, element want, bool is_ms) {
  for (const element pair : simdjson::dom::array(want)) {
    ASSERT_LT(offset, points.size());
    const int64_t time = ToNumber(std::string_view(pair.at(0)));
    EXPECT_EQ(points[offset].ms, is_ms ? time : time * 1000);
    ExpectValue(points[offset].value, pair.at(1));
    ++offset;
  }
}

// `dps` is a list of pairs or an object, all points.
void ExpectAllPoints(const std::vector<ResultPoint>& points, element dps, bool is_ms) {
  if (dps.is_array()) {
    ASSERT_EQ(points.size(), simdjson::dom::array(dps).size());
    ExpectPoints(points, 0, dps, is_ms);
    return;
  }
  const simdjson::dom::object object(dps);
  ASSERT_EQ(points.size(), object.size());
  size_t i = 0;
  for (const auto& [time, value] : object) {
    EXPECT_EQ(points[i].ms, ToNumber(time) * 1000);
    ExpectValue(points[i++].value, value);
  }
}

// count, first, last, value_json_type, nan_count and sum_of_values.
void ExpectSummary(const std::vector<ResultPoint>& points, element want, bool is_ms) {
  ASSERT_EQ(points.size(), static_cast<size_t>(IntOf(want, "count")));
  ExpectPoints(points, 0, want["first"], is_ms);
  ExpectPoints(points, points.size() - simdjson::dom::array(want["last"]).size(), want["last"],
               is_ms);
  const bool wants_integers = TextOf(want, "value_json_type") == "integer";
  double sum = 0;
  int64_t nans = 0;
  for (const ResultPoint& point : points) {
    EXPECT_EQ(point.value.is_integer(), wants_integers) << point.ms;
    const double value = point.value.ToDouble();
    std::isnan(value) ? void(++nans) : void(sum += value);
  }
  EXPECT_EQ(nans, IntOf(want, "nan_count"));
  const double want_sum = double(want["sum_of_values"]);
  EXPECT_NEAR(sum, want_sum, 1e-9 * std::max(1.0, std::abs(want_sum)));
}

void ExpectTags(const ResultSeries& series, element want) {
  if (!Has(want, "tags")) return;
  EXPECT_EQ(series.tags.size(), simdjson::dom::object(want["tags"]).size());
  for (const auto& [key, value] : series.tags)
    EXPECT_EQ(TextOf(want["tags"], key), value);
  std::vector<std::string> aggregate_tags;
  for (const std::string_view tagk : simdjson::dom::array(want["aggregateTags"])) {
    aggregate_tags.emplace_back(tagk);
  }
  EXPECT_EQ(series.aggregate_tags, aggregate_tags);
}

void ExpectResults(const std::vector<ResultSeries>& results, element want, bool is_ms) {
  if (!Has(want, "results")) {
    EXPECT_EQ(TextOf(want, "body"), "[]");
    EXPECT_TRUE(results.empty());
    return;
  }
  ASSERT_EQ(results.size(), simdjson::dom::array(want["results"]).size());
  for (size_t i = 0; i < results.size(); ++i) {
    const element series = want["results"].at(i);
    ExpectTags(results[i], series);
    if (Has(series, "dps")) {
      ExpectAllPoints(results[i].points, series["dps"], is_ms);
    } else {
      ExpectSummary(results[i].points, series, is_ms);
    }
  }
}

struct RunCounts {
  int run = 0;
  int unit = 0;  // vectors of one stage, run by its own test
  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

std::ostream& operator<<(std::ostream& out, const RunCounts& counts) {
  return out << "run " << counts.run << ", unit " << counts.unit;
}

// Runs the vectors of an area that are HTTP queries on a store.
RunCounts RunArea(std::string_view area) {
  RunCounts counts;
  for (const TestVector& vector : LoadVectors("query.json", area)) {
    if (!Has(vector.given, "http")) {
      ++counts.unit;
      continue;
    }
    const std::string http = TextOf(vector.given, "http");
    SCOPED_TRACE(vector.from + "\n" + http);
    const auto store = MakeStore(TextOf(vector.given, "store"));
    const auto request = ParseRequest(http);
    EXPECT_TRUE(store.has_value());
    EXPECT_OK(request);
    if (!store.has_value() || !request.ok()) continue;
    const auto results = Evaluate(request->spec, *store);
    EXPECT_OK(results);
    if (!results.ok()) continue;
    ExpectResults(*results, vector.expect, request->milliseconds);
    ++counts.run;
  }
  return counts;
}

TEST(QueryVectorsTest, Aggregation) {
  EXPECT_EQ(RunArea("aggregation"), (RunCounts{.run = 33}));
}

TEST(QueryVectorsTest, Downsample) {
  EXPECT_EQ(RunArea("downsample"), (RunCounts{.run = 10, .unit = 7}));
}

TEST(QueryVectorsTest, Fill) {
  EXPECT_EQ(RunArea("fill"), (RunCounts{.run = 4, .unit = 6}));
}

TEST(QueryVectorsTest, Rate) {
  EXPECT_EQ(RunArea("rate"), (RunCounts{.run = 15}));
}

TEST(QueryVectorsTest, Interpolation) {
  EXPECT_EQ(RunArea("interpolation"), (RunCounts{.run = 3}));
}

TEST(QueryVectorsTest, GroupBy) {
  EXPECT_EQ(RunArea("group-by"), (RunCounts{.run = 6}));
}

TEST(QueryVectorsTest, ExplicitTags) {
  EXPECT_EQ(RunArea("explicit-tags"), (RunCounts{.run = 6}));
}

}  // namespace
}  // namespace hourcell::query_vectors_test
