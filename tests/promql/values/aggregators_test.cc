#include "promql/values/aggregators.h"

#include <gtest/gtest.h>

#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

std::string AggregateText(AggregateOperator op, const std::vector<std::vector<double>>& columns) {
  GroupAggregate aggregate(op, columns.front().size());
  for (const std::vector<double>& column : columns)
    aggregate.Add(column);
  std::vector<double> out(columns.front().size());
  aggregate.Finish(out);
  return ColumnText(out);
}

// Three series at five steps.
const std::vector<std::vector<double>>& Columns() {
  static const std::vector<std::vector<double>> columns{
      {1, kNoValue, kTestNan, kTestInfinity, kNoValue},
      {2.5, kNoValue, 3, -4, kTestInfinity},
      {-7, kNoValue, 5, kTestInfinity, kNoValue}};
  return columns;
}

TEST(AggregatorsTest, StepsWithoutValuesHaveNoResult) {
  EXPECT_EQ(AggregateText(AggregateOperator::kSum, Columns()), "-3.5 - NaN +Inf +Inf");
  EXPECT_EQ(AggregateText(AggregateOperator::kCount, Columns()), "3 - 3 3 1");
  EXPECT_EQ(AggregateText(AggregateOperator::kGroup, Columns()), "1 - 1 1 1");
}

TEST(AggregatorsTest, ExtremesReplaceNan) {
  EXPECT_EQ(AggregateText(AggregateOperator::kMin, Columns()), "-7 - 3 -4 +Inf");
  EXPECT_EQ(AggregateText(AggregateOperator::kMax, Columns()), "2.5 - 5 +Inf +Inf");
}

TEST(AggregatorsTest, AnInfiniteAverageStaysUntilTheOtherInfinity) {
  EXPECT_EQ(AggregateText(AggregateOperator::kAvg, Columns()),
            "-1.166666666666667 - NaN +Inf +Inf");
  EXPECT_EQ(AggregateText(AggregateOperator::kAvg, {{kTestInfinity}, {-kTestInfinity}}), "NaN");
  EXPECT_EQ(AggregateText(AggregateOperator::kAvg, {{kTestInfinity}, {kTestNan}}), "NaN");
}

TEST(AggregatorsTest, AnAverageOfLargeValuesDoesNotOverflow) {
  EXPECT_EQ(AggregateText(AggregateOperator::kAvg, {{1e308}, {1e308}, {-1e308}, {1e308}}),
            "5e+307");
  EXPECT_EQ(AggregateText(AggregateOperator::kSum, {{1e308}, {1e308}}), "+Inf");
}

TEST(AggregatorsTest, OneValueHasNoDeviationEvenIfItIsInfinite) {
  EXPECT_EQ(AggregateText(AggregateOperator::kStddev, Columns()), "4.169998667732268 - NaN NaN 0");
  EXPECT_EQ(AggregateText(AggregateOperator::kStdvar, Columns()), "17.38888888888889 - NaN NaN 0");
}

TEST(AggregatorsTest, OnlySomeOperatorsAggregateColumns) {
  EXPECT_TRUE(IsGroupAggregate(AggregateOperator::kStdvar));
  EXPECT_FALSE(IsGroupAggregate(AggregateOperator::kQuantile));
  EXPECT_FALSE(IsGroupAggregate(AggregateOperator::kTopk));
}

TEST(AggregatorsTest, AnAccumulatorKnowsItsMemory) {
  EXPECT_GE(GroupAggregate(AggregateOperator::kSum, 1000).MemoryBytes(), 8000U);
  EXPECT_GE(GroupAggregate(AggregateOperator::kStddev, 1000).MemoryBytes(), 20'000U);
}

double QuantileOf(double quantile, std::vector<double> values) {
  return Quantile(quantile, values);
}

TEST(AggregatorsTest, AQuantileIsBetweenTheNearestRanks) {
  EXPECT_EQ(QuantileOf(0, {3, 1, 2}), 1);
  EXPECT_EQ(QuantileOf(0.5, {3, 1, 2}), 2);
  EXPECT_EQ(QuantileOf(0.75, {3, 1, 2}), 2.5);
  EXPECT_EQ(QuantileOf(1, {3, 1, 2}), 3);
  EXPECT_EQ(QuantileOf(0.3, {5}), 5);
}

TEST(AggregatorsTest, AQuantileTakesNanAsTheLeastValue) {
  EXPECT_EQ(NumberText(QuantileOf(0, {3, kTestNan, 2})), "NaN");
  EXPECT_EQ(QuantileOf(0.5, {3, kTestNan, 2}), 2);
}

TEST(AggregatorsTest, AQuantileOutsideTheUnitIntervalIsInfinite) {
  EXPECT_EQ(QuantileOf(-0.1, {1}), -kTestInfinity);
  EXPECT_EQ(QuantileOf(1.1, {1}), kTestInfinity);
  EXPECT_EQ(NumberText(QuantileOf(kTestNan, {1})), "NaN");
  EXPECT_EQ(NumberText(QuantileOf(2, {})), "NaN");
}

}  // namespace
}  // namespace hourcell::promql
