#include "engine/virtuals/input_join.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/virtuals/expression_formula.h"
#include "tests/support/status_matchers.h"

namespace hourcell::input_join_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using TagPairs = std::vector<std::pair<std::string, std::string>>;

MetricExpression ByHost(std::string formula, size_t inputs) {
  MetricExpression expression{.formula = std::move(formula), .inputs = {}};
  for (size_t i = 0; i < inputs; ++i) {
    SubQuery& input = expression.inputs.emplace_back();
    input.metric = fmt::format("m{}", i);
    input.filters = {
        {.tagk = "host", .type = FilterType::kWildcard, .filter = "*", .group_by = true}};
  }
  return expression;
}

// Values at 1, 2, ...; without value: no point.
ExpressionSeries Series(TagPairs tags, const std::vector<std::optional<double>>& values) {
  ExpressionSeries series{
      .tags = std::move(tags), .aggregate_tags = {}, .metrics = {"m"}, .points = {}};
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].has_value()) {
      series.points.push_back(static_cast<int64_t>(i) + 1, Value::Float(*values[i]));
    }
  }
  return series;
}

ExpressionSet Set(std::vector<ExpressionSeries> series) {
  return {.series = std::move(series)};
}

class InputJoinTest : public testing::Test {
 protected:
  absl::StatusOr<std::vector<VirtualSeries>> Join(const MetricExpression& expression,
                                                  const std::vector<ExpressionSet>& results) {
    const QueryWatch watch(&clock_, &control_, /*deadline_ms=*/0, /*timeout_ms=*/0);
    MemoryHold hold(nullptr);
    return JoinInputs(expression, *CompileFormula(expression), results, watch, &hold);
  }

  // "web01,dc=a 1:8 2:10"
  std::vector<std::string> Texts(const MetricExpression& expression,
                                 const std::vector<ExpressionSet>& results) {
    std::vector<std::string> texts;
    const auto joined = Join(expression, results);
    EXPECT_OK(joined.status());
    for (const VirtualSeries& series : *joined) {
      std::string& text = texts.emplace_back();
      for (const auto& [tagk, tagv] : series.tags)
        text += fmt::format("{}={} ", tagk, tagv);
      for (size_t i = 0; i < series.points.size(); ++i)
        text += fmt::format("{}:{} ", series.points.t[i], series.points.ToDouble(i));
    }
    return texts;
  }

  ManualClock clock_{0};
  QueryControl control_;
};

TEST_F(InputJoinTest, ItsDrawingHolds) {
  const std::vector<ExpressionSet> results = {
      Set({Series({{"host", "web01"}}, {1, 2, {}}), Series({{"host", "web02"}}, {3, 4, 5})}),
      Set({Series({{"host", "web01"}}, {7, 8, 9})})};
  MetricExpression expression = ByHost("a + b", 2);
  EXPECT_THAT(Texts(expression, results), ElementsAre("host=web01 1:8 2:10 "));
  expression.missing = 0;
  EXPECT_THAT(Texts(expression, results),
              ElementsAre("host=web01 1:8 2:10 3:9 ", "host=web02 1:3 2:4 3:5 "));
}

TEST_F(InputJoinTest, OnlyGroupingKeysJoinAndCommonTagsStay) {
  const std::vector<ExpressionSet> results = {
      Set({Series({{"host", "web01"}, {"cpu", "0"}, {"dc", "a"}}, {1})}),
      Set({Series({{"dc", "a"}, {"host", "web01"}}, {2})})};
  EXPECT_THAT(Texts(ByHost("a - b", 2), results), ElementsAre("dc=a host=web01 1:-1 "));
}

TEST_F(InputJoinTest, WithoutAggregationAllTagsJoin) {
  MetricExpression expression = ByHost("a * b", 2);
  for (SubQuery& input : expression.inputs)
    input.aggregator = Aggregator::kNone;
  const std::vector<ExpressionSet> results = {
      Set({Series({{"cpu", "0"}, {"host", "web01"}}, {2}),
           Series({{"cpu", "1"}, {"host", "web01"}}, {3})}),
      Set({Series({{"cpu", "1"}, {"host", "web01"}}, {5}), Series({{"host", "web01"}}, {7})})};
  EXPECT_THAT(Texts(expression, results), ElementsAre("cpu=1 host=web01 1:15 "));
}

TEST_F(InputJoinTest, VariablesMayComeInAnyOrderAndTwice) {
  const std::vector<ExpressionSet> results = {Set({Series({{"host", "web01"}}, {3})}),
                                              Set({Series({{"host", "web01"}}, {10})})};
  EXPECT_THAT(Texts(ByHost("b * b - a", 2), results), ElementsAre("host=web01 1:97 "));
}

TEST_F(InputJoinTest, ResultsThatAreNoNumbersAreLeftOut) {
  const double huge = std::numeric_limits<double>::max();
  const std::vector<ExpressionSet> results = {Set({Series({{"host", "web01"}}, {kNan, huge, 1})})};
  EXPECT_THAT(Texts(ByHost("a * 2", 1), results), ElementsAre("host=web01 3:2 "));
  // A comparison with NaN is a number, but the point of the input is missing.
  EXPECT_THAT(Texts(ByHost("a < 5", 1), results), ElementsAre("host=web01 2:0 3:1 "));
  const std::vector<ExpressionSet> nothing = {Set({Series({{"host", "web01"}}, {kNan})})};
  EXPECT_THAT(Texts(ByHost("a", 1), nothing), IsEmpty());
}

TEST_F(InputJoinTest, TwoResultsOfEqualKeysAreRefused) {
  const std::vector<ExpressionSet> results = {Set({Series({{"host", "web01"}, {"dc", "a"}}, {1}),
                                                   Series({{"host", "web01"}, {"dc", "b"}}, {1})})};
  EXPECT_THAT(Join(ByHost("a", 1), results),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("input 1 has two series with the same tags")));
}

TEST_F(InputJoinTest, ACancelledQueryEnds) {
  control_.Cancel();
  EXPECT_THAT(Join(ByHost("a", 1), {Set({Series({{"host", "web01"}}, {1})})}),
              StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace hourcell::input_join_test
