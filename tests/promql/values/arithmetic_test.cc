#include "promql/values/arithmetic.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

std::string CalculateText(BinaryOperator op, double left, double right) {
  return NumberText(Calculate(op, left, right));
}

TEST(ArithmeticTest, OperatorsCalculate) {
  EXPECT_EQ(Calculate(BinaryOperator::kAdd, 1, 2), 3);
  EXPECT_EQ(Calculate(BinaryOperator::kSubtract, 1, 2), -1);
  EXPECT_EQ(Calculate(BinaryOperator::kMultiply, 3, 2), 6);
  EXPECT_EQ(Calculate(BinaryOperator::kDivide, 3, 2), 1.5);
  EXPECT_EQ(Calculate(BinaryOperator::kPower, 2, 3), 8);
  EXPECT_EQ(Calculate(BinaryOperator::kAtan2, 1, 2), 0.4636476090008061);
}

TEST(ArithmeticTest, DivisionByZeroIsInfiniteOrNan) {
  EXPECT_EQ(CalculateText(BinaryOperator::kDivide, 1, 0), "+Inf");
  EXPECT_EQ(CalculateText(BinaryOperator::kDivide, -1, 0), "-Inf");
  EXPECT_EQ(CalculateText(BinaryOperator::kDivide, 0, 0), "NaN");
}

TEST(ArithmeticTest, AModuloHasTheSignOfTheDividend) {
  EXPECT_EQ(CalculateText(BinaryOperator::kModulo, -7, 3), "-1");
  EXPECT_EQ(CalculateText(BinaryOperator::kModulo, 7, -3), "1");
  EXPECT_EQ(CalculateText(BinaryOperator::kModulo, 5.5, 2), "1.5");
  EXPECT_EQ(CalculateText(BinaryOperator::kModulo, 1, 0), "NaN");
  EXPECT_EQ(CalculateText(BinaryOperator::kModulo, 5, kTestInfinity), "5");
  EXPECT_EQ(CalculateText(BinaryOperator::kModulo, kTestInfinity, 2), "NaN");
  EXPECT_TRUE(std::signbit(Calculate(BinaryOperator::kModulo, -6, 3)));
}

TEST(ArithmeticTest, ComparisonsAreThoseOfIeee754) {
  EXPECT_TRUE(Compare(BinaryOperator::kEqual, 1, 1));
  EXPECT_TRUE(Compare(BinaryOperator::kNotEqual, 1, 2));
  EXPECT_TRUE(Compare(BinaryOperator::kGreater, 2, 1));
  EXPECT_TRUE(Compare(BinaryOperator::kLess, 1, 2));
  EXPECT_TRUE(Compare(BinaryOperator::kGreaterEqual, 2, 2));
  EXPECT_TRUE(Compare(BinaryOperator::kLessEqual, -0.0, 0.0));
  EXPECT_FALSE(Compare(BinaryOperator::kLess, 2, 2));
}

TEST(ArithmeticTest, NanIsOnlyUnequal) {
  EXPECT_TRUE(Compare(BinaryOperator::kNotEqual, kTestNan, kTestNan));
  for (const BinaryOperator op :
       {BinaryOperator::kEqual, BinaryOperator::kGreater, BinaryOperator::kLess,
        BinaryOperator::kGreaterEqual, BinaryOperator::kLessEqual}) {
    EXPECT_FALSE(Compare(op, kTestNan, kTestNan));
  }
}

TEST(ArithmeticTest, SmallValuesSurviveALargeOne) {
  KahanSum sum;
  for (const double value : {1.0, 1e100, 1.0, -1e100})
    sum.Add(value);
  EXPECT_EQ(sum.Total(), 2);
}

TEST(ArithmeticTest, AnInfiniteSumStays) {
  KahanSum sum;
  sum.Add(1);
  sum.Add(kTestInfinity);
  EXPECT_EQ(sum.TotalOrInfinity(), kTestInfinity);
}

}  // namespace
}  // namespace hourcell::promql
