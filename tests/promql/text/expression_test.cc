#include "promql/text/expression.h"

#include <gtest/gtest.h>

namespace hourcell::promql {
namespace {

TEST(ExpressionTest, OperatorsHaveTheTextsOfTheLanguage) {
  EXPECT_EQ(MatchOperatorText(MatchOperator::kEqual), "=");
  EXPECT_EQ(MatchOperatorText(MatchOperator::kNotRegexp), "!~");
  EXPECT_EQ(AggregateOperatorText(AggregateOperator::kSum), "sum");
  EXPECT_EQ(AggregateOperatorText(AggregateOperator::kCountValues), "count_values");
  EXPECT_EQ(AggregateOperatorText(AggregateOperator::kQuantile), "quantile");
  EXPECT_EQ(BinaryOperatorText(BinaryOperator::kAdd), "+");
  EXPECT_EQ(BinaryOperatorText(BinaryOperator::kAtan2), "atan2");
  EXPECT_EQ(BinaryOperatorText(BinaryOperator::kEqual), "==");
  EXPECT_EQ(BinaryOperatorText(BinaryOperator::kLessEqual), "<=");
  EXPECT_EQ(BinaryOperatorText(BinaryOperator::kUnless), "unless");
}

TEST(ExpressionTest, ComparisonsAndSetOperatorsAreKinds) {
  EXPECT_TRUE(IsComparison(BinaryOperator::kEqual));
  EXPECT_TRUE(IsComparison(BinaryOperator::kLessEqual));
  EXPECT_FALSE(IsComparison(BinaryOperator::kAtan2));
  EXPECT_FALSE(IsComparison(BinaryOperator::kAnd));
  EXPECT_TRUE(IsSetOperator(BinaryOperator::kOr));
  EXPECT_FALSE(IsSetOperator(BinaryOperator::kLessEqual));
}

}  // namespace
}  // namespace hourcell::promql
