#include "engine/query/functions/mapping.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/query/result_collector.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/support/status_matchers.h"

namespace hourcell::mapping_test {
namespace {

using Kind = FunctionSpec::Kind;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

SeriesView ViewOf(const Span& span) {
  SeriesView view;
  view.metric = "m";
  view.points = {.t = span.t, .v = span.v, .is_float = span.is_float};
  return view;
}

ResultSeries Mapped(const FunctionSpec& spec, const Span& span) {
  CountedMemory memory;
  QueryResult result;
  ResultCollector out(&result);
  Mapping mapping(spec, &memory);
  EXPECT_OK(mapping.Add(/*input=*/0, ViewOf(span), &out));
  EXPECT_OK(mapping.Finish(&out));
  EXPECT_EQ(memory.held, 0u);
  EXPECT_EQ(result.series.size(), 1u);
  return result.series.at(0);
}

// The definition, from each point backwards.
double NaiveAverage(const Span& span, size_t at, const FunctionSpec& spec) {
  double sum = 0;
  size_t count = 0;
  bool is_full = false;
  for (size_t i = at + 1; i-- > 0 && !is_full;) {
    const double number = span.ToDouble(i);
    if (std::isnan(number)) continue;
    if (spec.span_ms > 0 && span.t[at] - span.t[i] >= spec.span_ms) {
      is_full = true;
      break;
    }
    sum += number;
    is_full = spec.span_ms == 0 && ++count == spec.count;
    if (spec.span_ms > 0) ++count;
  }
  return is_full ? sum / static_cast<double>(count) : 0;
}

TEST(MappingTest, AMovingAverageIsTheMeanOfItsWindow) {
  Random random(36);
  for (int round = 0; round < 200; ++round) {
    Span span;
    int64_t ms = 0;
    for (uint64_t i = random.Below(60); i > 0; --i) {
      ms += 1 + static_cast<int64_t>(random.Below(5));
      // Whole numbers have exact sums in any order.
      const auto number = static_cast<int64_t>(random.Below(2000)) - 1000;
      span.push_back(ms, random.Below(6) == 0 ? Value::Float(kNan) : Value::Integer(number));
    }
    FunctionSpec spec{.kind = Kind::kMovingAverage, .count = 1 + random.Below(8)};
    if (random.Below(2) == 0) spec.span_ms = 1 + static_cast<int64_t>(random.Below(20));
    const ResultSeries got = Mapped(spec, span);
    ASSERT_EQ(got.points.size(), span.size());
    for (size_t i = 0; i < span.size(); ++i) {
      const double want = NaiveAverage(span, i, spec);
      const double number = got.points[i].value.floating();
      EXPECT_TRUE(number == want || (std::isnan(number) && std::isnan(want)))
          << number << " instead of " << want;
    }
  }
}

TEST(MappingTest, ASmallNumberAfterALargeOneKeepsItsDigits) {
  Span span;
  for (const double number : {1e20, 3.0, 5.0})
    span.push_back(static_cast<int64_t>(span.size()), Value::Float(number));

  const ResultSeries got = Mapped({.kind = Kind::kMovingAverage, .count = 2}, span);

  EXPECT_EQ(got.points[2].value.floating(), 4);
}

TEST(MappingTest, AWholeFactorKeepsIntegersAndWraps) {
  Span span;
  span.push_back(0, Value::Integer(INT64_MAX));
  span.push_back(1, Value::Float(0.5));

  const ResultSeries whole = Mapped({.kind = Kind::kScale, .factor = 2}, span);
  EXPECT_EQ(whole.points[0].value, Value::Integer(-2));
  EXPECT_EQ(whole.points[1].value, Value::Float(1));
  const ResultSeries broken = Mapped({.kind = Kind::kScale, .factor = 0.5}, span);
  EXPECT_EQ(broken.points[0].value, Value::Float(0x1p62));
  const ResultSeries absolute = Mapped({.kind = Kind::kAbsolute}, span);
  EXPECT_EQ(absolute.points[0].value, Value::Integer(INT64_MAX));
}

TEST(MappingTest, AnAliasTakesTheLongestKey) {
  const std::vector<std::pair<std::string_view, std::string_view>> tags = {
      {"a", "1"}, {"ab", "2"}, {"host", "@a"}};

  EXPECT_EQ(AliasOf("x.@ab.@a.@host@", tags), "x.2.1.@a@");
  EXPECT_EQ(AliasOf("@@a@nosuch", tags), "@1@nosuch");
  EXPECT_EQ(AliasOf("", tags), "");
}

TEST(MappingTest, AnAliasHasNoTags) {
  const std::pair<std::string_view, std::string_view> tag{"host", "web01"};
  const std::string_view aggregated = "dc";
  Span span;
  span.push_back(1000, Value::Integer(-1));
  SeriesView view = ViewOf(span);
  view.tags = {&tag, 1};
  view.aggregate_tags = {&aggregated, 1};
  CountedMemory memory;
  QueryResult result;
  ResultCollector out(&result);
  Mapping mapping({.kind = Kind::kAlias, .text = "cpu of @host"}, &memory);

  ASSERT_OK(mapping.Add(0, view, &out));

  EXPECT_EQ(result.series[0].metric, "cpu of web01");
  EXPECT_TRUE(result.series[0].tags.empty());
  EXPECT_TRUE(result.series[0].aggregate_tags.empty());
  EXPECT_EQ(result.series[0].points[0].value, Value::Integer(-1));
}

TEST(MappingTest, WithoutMemoryASeriesIsRefused) {
  Span span;
  for (int64_t i = 0; i < 100; ++i)
    span.push_back(i, Value::Integer(i));
  CountedMemory memory;
  memory.limit = 100;
  QueryResult result;
  ResultCollector out(&result);
  Mapping mapping({.kind = Kind::kFirstDiff}, &memory);

  EXPECT_EQ(mapping.Add(0, ViewOf(span), &out).code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace hourcell::mapping_test
