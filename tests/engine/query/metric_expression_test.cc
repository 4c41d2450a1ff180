#include "engine/query/metric_expression.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::metric_expression_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TagFilterSpec Grouping(std::string tagk) {
  return {.tagk = std::move(tagk), .type = FilterType::kWildcard, .filter = "*", .group_by = true};
}

SubQuery ByHost(std::string metric) {
  SubQuery input;
  input.metric = std::move(metric);
  input.filters = {Grouping("host")};
  return input;
}

MetricExpression Sum() {
  return {.formula = "a + b", .inputs = {ByHost("u"), ByHost("s")}};
}

TEST(MetricExpressionTest, VariablesAreLetters) {
  EXPECT_EQ(ExpressionVariable(0), "a");
  EXPECT_EQ(ExpressionVariable(kExpressionInputsMax - 1), "p");
}

TEST(MetricExpressionTest, GroupingKeysAscendAndDiffer) {
  SubQuery input = ByHost("u");
  input.filters.push_back(Grouping("dc"));
  input.filters.push_back(Grouping("host"));
  input.filters.push_back({.tagk = "cpu", .filter = "0", .group_by = false});
  input.filters.push_back(
      {.tagk = "rack", .type = FilterType::kNotKey, .filter = "", .group_by = true});

  EXPECT_THAT(GroupingKeys(input), ElementsAre("dc", "host"));
  input.aggregator = Aggregator::kNone;
  EXPECT_THAT(GroupingKeys(input), IsEmpty());
}

TEST(MetricExpressionTest, InputsOfEqualKeysAreAccepted) {
  EXPECT_OK(CheckMetricExpression(Sum()));
  MetricExpression expression = Sum();
  expression.inputs[0].aggregator = Aggregator::kNone;
  expression.inputs[0].filters.clear();
  expression.inputs[1] = expression.inputs[0];
  expression.missing = 0;
  EXPECT_OK(CheckMetricExpression(expression));
}

TEST(MetricExpressionTest, InputsWithoutOrWithOtherKeysAreRefused) {
  MetricExpression expression = Sum();
  expression.inputs[1].filters.clear();
  EXPECT_THAT(CheckMetricExpression(expression),
              StatusIs(kInvalid, HasSubstr("input 2: no grouping tag; expected one such as s{")));
  expression.inputs[1].filters = {Grouping("dc")};
  EXPECT_THAT(CheckMetricExpression(expression),
              StatusIs(kInvalid, "input 2: expected the grouping keys of input 1, host, got dc"));
  expression.inputs[1].aggregator = Aggregator::kNone;
  EXPECT_THAT(CheckMetricExpression(expression),
              StatusIs(kInvalid, HasSubstr("host, got all tags (none)")));
}

TEST(MetricExpressionTest, PartsThatDependOnTheQueryAreRefused) {
  const auto expect_refused = [](const SubQuery& input, std::string_view part) {
    EXPECT_THAT(CheckMetricExpression({.formula = "a", .inputs = {input}}),
                StatusIs(kInvalid, HasSubstr(std::string("input 1: ") + std::string(part))));
  };
  SubQuery input = ByHost("u");
  input.tsuids = {"000001000001000001"};
  expect_refused(input, "tsuids");
  input = ByHost("u");
  input.functions = {FunctionSpec()};
  expect_refused(input, "a function of series");
  input = ByHost("u");
  input.percentiles = {99};
  expect_refused(input, "percentiles");
  input = ByHost("u");
  input.pre_aggregate = true;
  expect_refused(input, "rollup usage");
  input = ByHost("u");
  input.explicit_tags = true;
  expect_refused(input, "explicit_tags");
  input = ByHost("u");
  input.downsample = *ParseDownsampleSpec("0all-sum");
  expect_refused(input, "0all");
  input.downsample = *ParseDownsampleSpec("1dc-sum");
  expect_refused(input, "an interval by calendar");
  input = ByHost("u");
  input.filters[0].filter = std::string(kExpressionFormulaBytesMax + 1, 'x');
  expect_refused(input, "filter of \"host\" is too long");
}

TEST(MetricExpressionTest, NumbersAreBounded) {
  EXPECT_THAT(CheckMetricExpression({.formula = "1", .inputs = {}}),
              StatusIs(kInvalid, "expression: expected 1 to 16 sub queries, got 0"));
  MetricExpression expression = Sum();
  expression.inputs.assign(kExpressionInputsMax + 1, ByHost("u"));
  EXPECT_THAT(CheckMetricExpression(expression), StatusIs(kInvalid, HasSubstr("got 17")));
  expression = Sum();
  expression.missing = std::numeric_limits<double>::infinity();
  EXPECT_THAT(CheckMetricExpression(expression),
              StatusIs(kInvalid, "missing: expected a finite number"));
}

}  // namespace
}  // namespace hourcell::metric_expression_test
