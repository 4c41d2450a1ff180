#include "engine/query/functions/ranking.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/query/result_collector.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/support/status_matchers.h"

namespace hourcell::ranking_test {
namespace {

using By = FunctionSpec::By;
using Kind = FunctionSpec::Kind;
using testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Span SpanOf(const std::vector<double>& values) {
  Span span;
  for (size_t i = 0; i < values.size(); ++i)
    span.push_back(static_cast<int64_t>(i) * 1000, Value::Float(values[i]));
  return span;
}

SeriesView ViewOf(std::string_view metric, const Span& span) {
  SeriesView view;
  view.metric = metric;
  view.points = {.t = span.t, .v = span.v, .is_float = span.is_float};
  return view;
}

double RankedOf(const std::vector<double>& values, By by) {
  const Span span = SpanOf(values);
  return RankedValue(ViewOf("m", span).points, by);
}

// The metrics, "0", "1", ..., of the series that the function keeps.
std::vector<std::string> Kept(const FunctionSpec& spec,
                              const std::vector<std::vector<double>>& series,
                              CountedMemory* memory) {
  Ranking ranking(spec, memory);
  QueryResult result;
  ResultCollector out(&result);
  for (size_t i = 0; i < series.size(); ++i) {
    const Span span = SpanOf(series[i]);
    EXPECT_OK(ranking.Add(/*input=*/0, ViewOf(fmt::format("{}", i), span), &out));
    EXPECT_TRUE(result.series.empty());
  }
  EXPECT_OK(ranking.Finish(&out));
  std::vector<std::string> metrics;
  for (const ResultSeries& one : result.series)
    metrics.push_back(one.metric);
  return metrics;
}

std::vector<std::string> Kept(const FunctionSpec& spec,
                              const std::vector<std::vector<double>>& series) {
  CountedMemory memory;
  std::vector<std::string> metrics = Kept(spec, series, &memory);
  EXPECT_EQ(memory.held, 0u);
  return metrics;
}

TEST(RankingTest, ASeriesHasItsPlaceByOneValue) {
  const std::vector<double> values = {3, kNan, -1, 7, kNan, 2, kNan};

  EXPECT_EQ(RankedOf(values, By::kMax), 7);
  EXPECT_EQ(RankedOf(values, By::kMin), -1);
  EXPECT_EQ(RankedOf(values, By::kSum), 11);
  EXPECT_EQ(RankedOf(values, By::kAvg), 2.75);
  EXPECT_EQ(RankedOf(values, By::kLast), 2);
  for (const By by : {By::kMax, By::kMin, By::kSum, By::kAvg, By::kLast}) {
    EXPECT_TRUE(std::isnan(RankedOf({}, by)));
    EXPECT_TRUE(std::isnan(RankedOf({kNan, kNan}, by)));
  }
}

TEST(RankingTest, IntegersCountAsDoubles) {
  Span span;
  span.push_back(0, Value::Integer(1));
  span.push_back(1, Value::Integer(2));

  EXPECT_EQ(RankedValue(ViewOf("m", span).points, By::kAvg), 1.5);
}

TEST(RankingTest, ResultsKeepTheOrderOfTheInput) {
  const std::vector<std::vector<double>> series = {{5}, {1}, {9}, {7}, {3}};

  EXPECT_THAT(Kept({.kind = Kind::kTop, .count = 3}, series), ElementsAre("0", "2", "3"));
  EXPECT_THAT(Kept({.kind = Kind::kBottom, .count = 2}, series), ElementsAre("1", "4"));
  EXPECT_THAT(Kept({.kind = Kind::kTop, .count = 9}, series), ElementsAre("0", "1", "2", "3", "4"));
}

TEST(RankingTest, OfEqualValuesTheFirstIsKept) {
  const std::vector<std::vector<double>> series = {{1}, {2}, {-0.0}, {2}, {0.0}, {2}};

  EXPECT_THAT(Kept({.kind = Kind::kTop, .count = 2}, series), ElementsAre("1", "3"));
  EXPECT_THAT(Kept({.kind = Kind::kBottom, .count = 1}, series), ElementsAre("2"));
}

TEST(RankingTest, NanIsLastInBothDirections) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> series = {{kNan}, {inf}, {}, {-inf}, {0}};

  EXPECT_THAT(Kept({.kind = Kind::kTop, .count = 3}, series), ElementsAre("1", "3", "4"));
  EXPECT_THAT(Kept({.kind = Kind::kBottom, .count = 3}, series), ElementsAre("1", "3", "4"));
  EXPECT_THAT(Kept({.kind = Kind::kTop, .count = 4}, series), ElementsAre("0", "1", "3", "4"));
}

TEST(RankingTest, HoldsNoMoreSeriesThanItKeeps) {
  std::vector<std::vector<double>> series;
  for (int i = 0; i < 100; ++i)
    series.push_back(std::vector<double>(1000, i));  // each is better than those before
  CountedMemory one;
  Kept({.kind = Kind::kTop, .count = 1}, series, &one);
  CountedMemory ten;
  Kept({.kind = Kind::kTop, .count = 10}, series, &ten);

  EXPECT_GT(one.peak, 1000 * kSpanPointBytes);
  EXPECT_EQ(ten.peak, 10 * one.peak);
  EXPECT_EQ(ten.held, 0u);
}

TEST(RankingTest, EndsWhenTheMemoryDoes) {
  CountedMemory memory;
  memory.limit = 3000;
  Ranking ranking({.kind = Kind::kTop, .count = 5}, &memory);
  QueryResult result;
  ResultCollector out(&result);
  const Span span = SpanOf(std::vector<double>(100, 1));

  EXPECT_OK(ranking.Add(0, ViewOf("m", span), &out));
  EXPECT_THAT(ranking.Add(0, ViewOf("m", span), &out),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

// Random sets against a sort of all series.
TEST(RankingTest, KeepsWhatASortOfAllKeeps) {
  Random random(20261126);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<double>> series(random.Below(12));
    for (std::vector<double>& one : series) {
      one.resize(random.Below(4));
      for (double& value : one)
        value = random.Below(5) == 0 ? kNan : static_cast<double>(random.Below(6));
    }
    const FunctionSpec spec{.kind = static_cast<Kind>(random.Below(2)),
                            .count = 1 + random.Below(12),
                            .by = static_cast<By>(random.Below(5))};
    std::vector<size_t> order(series.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    const auto key = [&](size_t i) {
      const double value = RankedOf(series[i], spec.by);
      if (std::isnan(value)) return std::numeric_limits<double>::infinity();
      return spec.kind == Kind::kTop ? -value : value;
    };
    std::ranges::stable_sort(order, {}, key);
    order.resize(std::min(order.size(), spec.count));
    std::ranges::sort(order);
    std::vector<std::string> want;
    for (const size_t i : order)
      want.push_back(fmt::format("{}", i));

    EXPECT_EQ(Kept(spec, series), want) << FunctionText(spec) << ", round " << round;
  }
}

}  // namespace
}  // namespace hourcell::ranking_test
