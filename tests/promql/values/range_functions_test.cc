#include "promql/values/range_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/strings.h"
#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

std::string RangeText(Function function, std::vector<double> parameters = {}) {
  const SeriesPoints points = TestCounter();
  const Windows windows{.steps = {60'000, 30'000, 1}, .range_ms = 60'000};
  std::vector<std::span<const double>> columns;
  for (const double& parameter : parameters)
    columns.emplace_back(&parameter, 1);
  std::vector<double> out(1);
  ApplyRangeFunction(function, points.view(), windows, columns, out);
  return ColumnText(out);
}

TEST(RangeFunctionsTest, EachFunctionIsCalculatedByItsName) {
  EXPECT_EQ(RangeText(Function::kRate), "0.225");
  EXPECT_EQ(RangeText(Function::kIncrease), "13.5");
  EXPECT_EQ(RangeText(Function::kDelta), "4.5");
  EXPECT_EQ(RangeText(Function::kIrate), "0.23333333333333334");
  EXPECT_EQ(RangeText(Function::kIdelta), "3.5");
  EXPECT_EQ(RangeText(Function::kResets), "1");
  EXPECT_EQ(RangeText(Function::kChanges), "4");
  EXPECT_EQ(RangeText(Function::kDeriv), "0.04666666666666667");
  EXPECT_EQ(RangeText(Function::kPredictLinear, {60}), "8.5");
  EXPECT_EQ(RangeText(Function::kHoltWinters, {0.5, 0.3}), "7.0275");
  EXPECT_EQ(RangeText(Function::kAvgOverTime), "4.3");
  EXPECT_EQ(RangeText(Function::kCountOverTime), "5");
  EXPECT_EQ(RangeText(Function::kLastOverTime), "5.5");
  EXPECT_EQ(RangeText(Function::kMaxOverTime), "9");
  EXPECT_EQ(RangeText(Function::kMinOverTime), "1");
  EXPECT_EQ(RangeText(Function::kPresentOverTime), "1");
  EXPECT_EQ(RangeText(Function::kSumOverTime), "21.5");
  EXPECT_EQ(RangeText(Function::kQuantileOverTime, {0.5}), "4");
}

TEST(RangeFunctionsTest, OtherFunctionsTakeNoRange) {
  EXPECT_TRUE(IsRangeFunction(Function::kRate));
  EXPECT_FALSE(IsRangeFunction(Function::kAbsentOverTime));
  EXPECT_FALSE(IsRangeFunction(Function::kAbs));
}

TEST(RangeFunctionsTest, FactorsOfHoltWintersAreCheckedWithPrometheusText) {
  const auto error = [](double smoothing, double trend) {
    return std::string(MessageOf(CheckHoltWinters(smoothing, trend)));
  };
  EXPECT_EQ(error(1.5, 0.5), "invalid smoothing factor. Expected: 0 < sf < 1, got: 1.500000");
  EXPECT_EQ(error(0.5, 0), "invalid trend factor. Expected: 0 < tf < 1, got: 0.000000");
  EXPECT_EQ(error(-1e30, 0.5),
            "invalid smoothing factor. Expected: 0 < sf < 1, got: "
            "-1000000000000000019884624838656.000000");
  EXPECT_EQ(error(kTestInfinity, 0.5), "invalid smoothing factor. Expected: 0 < sf < 1, got: +Inf");
  EXPECT_EQ(error(0.5, 0.5), "");
  EXPECT_EQ(error(kTestNan, 0.5), "");
}

std::string SelectText(const SeriesPoints& points, const Windows& windows) {
  std::vector<double> out(windows.steps.count);
  SelectLast(points.view(), windows, out);
  return ColumnText(out);
}

TEST(RangeFunctionsTest, APointCountsUntilItIsAsOldAsTheLookback) {
  const SeriesPoints points = EvenPoints(1000, {7});

  EXPECT_EQ(SelectText(points, {.steps = {-1, 1, 3}, .range_ms = 5000}), "- 7 7");
  EXPECT_EQ(SelectText(points, {.steps = {4999, 1, 3}, .range_ms = 5000}), "7 7 -");
}

TEST(RangeFunctionsTest, AStaleMarkerEndsASeriesUntilItsNextPoint) {
  const SeriesPoints points = EvenPoints(1000, {1, kStale, 3, kTestNan});

  EXPECT_EQ(SelectText(points, {.steps = {0, 500, 7}, .range_ms = 5000}), "1 1 - - 3 3 NaN");
}

TEST(RangeFunctionsTest, SelectionGivesTheTimesOfPointsInSeconds) {
  const SeriesPoints points = EvenPoints(1500, {1, 2, kStale});
  std::vector<double> out(4);
  std::vector<double> times(4);

  SelectLast(points.view(), {.steps = {0, 1000, 4}, .range_ms = 5000}, out, times);

  EXPECT_EQ(ColumnText(out), "1 1 2 -");
  EXPECT_EQ(ColumnText(times), "0 0 1.5 -");
}

TEST(RangeFunctionsTest, SelectionFollowsOffsetAndFixedTime) {
  const SeriesPoints points = EvenPoints(1000, {0, 1, 2, 3});
  Windows windows{.steps = {0, 1000, 3}, .range_ms = 500, .offset_ms = -1000};

  EXPECT_EQ(SelectText(points, windows), "1 2 3");
  windows.is_fixed = true;
  windows.fixed_ms = 1200;
  EXPECT_EQ(SelectText(points, windows), "2 2 2");
}

}  // namespace
}  // namespace hourcell::promql
