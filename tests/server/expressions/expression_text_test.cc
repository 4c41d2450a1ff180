#include "server/expressions/expression_text.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/query/query_string.h"
#include "tests/support/status_matchers.h"

namespace hourcell::expression_text_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

MetricExpression Parsed(std::string_view text) {
  const absl::StatusOr<MetricExpression> parsed = ParseMetricExpression(text, {});
  EXPECT_OK(parsed.status()) << text;
  return parsed.ok() ? *parsed : MetricExpression();
}

void ExpectRefused(std::string_view text, std::string_view error) {
  EXPECT_THAT(ParseMetricExpression(text, {}).status(),
              StatusIs(kInvalid, HasSubstr(std::string(error))))
      << text;
}

TEST(ExpressionTextTest, SubQueriesBecomeVariables) {
  const MetricExpression sum = Parsed("sum:cpu.user{host=*} + sum:cpu.system{host=*}");
  EXPECT_EQ(sum.formula, "a + b");
  EXPECT_THAT(sum.inputs, ElementsAre(*ParseSubQueryText("sum:cpu.user{host=*}"),
                                      *ParseSubQueryText("sum:cpu.system{host=*}")));
  EXPECT_THAT(ParseMetricExpression("sum:a{h=*}", 0.5)->missing, Optional(0.5));
}

TEST(ExpressionTextTest, EqualSubQueriesAreOneInput) {
  const MetricExpression share = Parsed("avg:a{h=*} / (avg:a{h=*} + avg:b{h=*})  * 1e2 ");
  EXPECT_EQ(share.formula, "a / (a + b) * 1e2");
  EXPECT_EQ(share.inputs.size(), 2u);
}

TEST(ExpressionTextTest, ASubQueryEndsWhereItsBracketsAreClosed) {
  EXPECT_EQ(Parsed("sum:a{h=*}/sum:b{h=*}").formula, "a/b");
  EXPECT_EQ(Parsed("(none:a)-none:b-c").formula, "(a)-b");
  EXPECT_EQ(Parsed("(none:a)-none:b-c").inputs[1].metric, "b-c");
  EXPECT_EQ(Parsed("sum:rate{counter,,5}:1m-avg:a{h=*}{dc=regexp((x y)})} *2").formula, "a *2");
  EXPECT_EQ(Parsed("sum:a{h=*}{dc=\"} + x\"}").inputs[0].filters[0].filter, "\"} + x\"");
  EXPECT_EQ(Parsed("sum:\"a b:c\"{h=*}+1").inputs[0].metric, "a b:c");
}

TEST(ExpressionTextTest, AWordMayFollowABrace) {
  EXPECT_EQ(Parsed("sum:a{h=*}and sum:b{h=*}").formula, "a and b");
}

TEST(ExpressionTextTest, WordsAndNumbersOfTheFormulaStay) {
  EXPECT_EQ(Parsed("sum:a{h=*} gt 0x1f and not true ? sum:b{h=*} : -2e-3").formula,
            "a gt 0x1f and not true ? b : -2e-3");
}

TEST(ExpressionTextTest, AnErrorNamesTheCharacterOfTheWholeText) {
  ExpectRefused("cpu + sum:a{h=*}",
                "expression: character 1: expected a sub query such as sum:cpu.user{host=*}, got "
                "\"cpu\"");
  ExpectRefused("1 + nosuch:a{h=*}", "character 5: No such aggregation function: nosuch");
  ExpectRefused("sum:a{h=*} +", "expression: character 13: expected");
  ExpectRefused("sum:a{h=*} sum:b{h=*}", "expression: character 12: expected");
  ExpectRefused("(sum:a{h=*}", "expression: character 12: expected ')', got the end");
  ExpectRefused("top(1,max):sum:a{h=*}", "character 1: expected a sub query");
  ExpectRefused("", "expression: character 1: expected");
  ExpectRefused("1 + 2", "expected 1 to 16 sub queries, got 0");
  ExpectRefused("sum:a", "input 1: no grouping tag");
}

TEST(ExpressionTextTest, LengthAndInputsAreBounded) {
  ExpectRefused(std::string(16 * 1024 + 1, '1'), "too long; expected at most 16384 bytes");
  std::string text;
  for (char metric = 'a'; metric <= 'q'; ++metric) {
    if (!text.empty()) text += '+';
    text += std::string("sum:") + metric + "{h=*}";
  }
  ExpectRefused(text, "expected at most 16 sub queries, got more");
}

TEST(ExpressionTextTest, ThePrintedTextIsReadAsTheSame) {
  for (const std::string_view text : {
           "sum:cpu.user{host=*} + sum:cpu.system{host=*}",
           "100 * sum:1m-avg:rate:e{h=*,dc=a|b}{x=regexp(^a{1,2}$)} / max:5m-max-nan:r{h=*,dc=*}",
           "sum:rate{counter,100,5}:a{h=iwildcard(*X)}",
           "sum:rate{dropcounter,9223372036854775807,0}:a{h=*}{q=not_key()}",
           "none:a - none:b",
           "none:\"a b\"{}{\"k k\"=literal_or(\"v v\")} / none:b",
           "sum:1h-sum-scalar(2.5):a{h=*} ? 1 : 2",
       }) {
    const MetricExpression parsed = Parsed(text);
    EXPECT_EQ(MetricExpressionText(parsed), text);
    EXPECT_EQ(Parsed(MetricExpressionText(parsed)), parsed);
  }
}

TEST(ExpressionTextTest, SignsAreKeptApartFromNames) {
  EXPECT_EQ(MetricExpressionText(Parsed("(none:a)-1")), "(none:a )-1");
  EXPECT_EQ(MetricExpressionText(Parsed("1?sum:a{h=*} :sum:b{h=*}")), "1?sum:a{h=*} :sum:b{h=*}");
}

}  // namespace
}  // namespace hourcell::expression_text_test
