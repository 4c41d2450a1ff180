#include "engine/virtuals/expression_formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::expression_formula_test {
namespace {

using testing::HasSubstr;

MetricExpression OfTwoInputs(const char* formula) {
  MetricExpression expression;
  expression.formula = formula;
  expression.inputs.resize(2);
  return expression;
}

TEST(ExpressionFormulaTest, VariablesAreInputs) {
  EXPECT_OK(CompileFormula(OfTwoInputs("b + a")).status());
  EXPECT_EQ(InputOfVariable("a"), 0u);
  EXPECT_EQ(InputOfVariable(ExpressionVariable(7)), 7u);
}

TEST(ExpressionFormulaTest, UsesEachInputAndNothingElse) {
  for (const char* const formula : {"a", "a + c", "a + b + x1", "a + b + B", "1", "a +", ""}) {
    EXPECT_THAT(CompileFormula(OfTwoInputs(formula)).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expression: ")))
        << formula;
  }
}

}  // namespace
}  // namespace hourcell::expression_formula_test
