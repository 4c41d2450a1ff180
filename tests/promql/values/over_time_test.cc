#include "promql/values/over_time.h"

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

constexpr Windows kHalfMinutes{.steps = {0, 10'000, 10}, .range_ms = 30'000};

std::string AggregateText(Function function, const SeriesPoints& points) {
  std::vector<double> out(kHalfMinutes.steps.count);
  AggregateOverTime(function, points.view(), kHalfMinutes, out);
  return ColumnText(out);
}

std::string QuantileText(double quantile, const SeriesPoints& points) {
  std::vector<double> out(7);
  const Windows windows{.steps = {0, 10'000, 7}, .range_ms = 30'000};
  QuantilesOverTime(points.view(), windows, std::vector<double>(7, quantile), out);
  return ColumnText(out);
}

TEST(OverTimeTest, AverageIsThatOfPrometheus) {
  EXPECT_EQ(AggregateText(Function::kAvgOverTime, TestCounter()),
            "1 1 2.5 4.666666666666666 6.5 5.5 5.5 3.75 6.375 6.375");
  EXPECT_EQ(AggregateText(Function::kAvgOverTime, TestGauge()),
            "1.5 0.625 NaN NaN NaN NaN NaN NaN -Inf -Inf");
  EXPECT_EQ(AggregateText(Function::kAvgOverTime, TestFractions()),
            "0.1 0.15000000000000002 0.3333333333333333 2500000000000000.5 2500000000000000.5 "
            "0.19999999999999996 0.025 -3333333333333333 -5000000000000000 0.1");
}

// Windows of many sizes in a row; some are equal to the one before, some are empty.
TEST(OverTimeTest, ManyWindowsGiveWhatEachGivesAlone) {
  SeriesPoints points;
  Random random(20261128);
  int64_t time = 0;
  for (int i = 0; i < 500; ++i) {
    time += random.Below(10) == 0 ? 200'000 : 1'000 * static_cast<int64_t>(random.Below(9) + 1);
    points.times.push_back(time);
    points.values.push_back(random.Below(50) == 0 ? kTestNan : 0.1 * (i % 17) - 0.7);
  }
  for (const int64_t step_ms : {700, 13'000, 60'000, 250'000}) {
    SCOPED_TRACE(step_ms);
    const Windows windows{.steps = {0, step_ms, static_cast<size_t>(time / step_ms) + 2},
                          .range_ms = 60'000};
    for (const Function function : {Function::kAvgOverTime, Function::kSumOverTime,
                                    Function::kStddevOverTime, Function::kStdvarOverTime}) {
      std::vector<double> out(windows.steps.count);
      AggregateOverTime(function, points.view(), windows, out);
      std::vector<double> alone(windows.steps.count);
      for (size_t i = 0; i < alone.size(); ++i) {
        const Windows one{.steps = {windows.steps.at(i), 1, 1}, .range_ms = windows.range_ms};
        AggregateOverTime(function, points.view(), one, std::span(alone).subspan(i, 1));
      }
      EXPECT_EQ(ColumnText(out), ColumnText(alone));
    }
  }
}

TEST(OverTimeTest, SumKeepsTheDigitsThatAPlainSumLoses) {
  EXPECT_EQ(AggregateText(Function::kSumOverTime, TestCounter()),
            "1 1 5 14 13 11 16.5 7.5 12.75 12.75");
  EXPECT_EQ(AggregateText(Function::kSumOverTime, TestGauge()),
            "1.5 1.25 NaN NaN NaN NaN NaN NaN -Inf -Inf");
  EXPECT_EQ(AggregateText(Function::kSumOverTime, TestFractions()),
            "0.1 0.30000000000000004 1 10000000000000000 10000000000000002 1 0.4 "
            "-10000000000000000 -10000000000000000 0.1");
}

TEST(OverTimeTest, SumsOfIntegersAreExactInAnyOrder) {
  EXPECT_EQ(AggregateText(Function::kSumOverTime, EvenPoints(10'000, {1, -5, 7, 3, 3, -5, 0, 1})),
            "1 -4 3 6 8 8 1 -1 -4 1");
  EXPECT_EQ(
      AggregateText(Function::kSumOverTime, EvenPoints(10'000, {1e17, 1, 1, 1, 1, 1, 0, 1})),
      "100000000000000000 100000000000000000 100000000000000000 100000000000000000 4 4 3 3 2 1");
}

TEST(OverTimeTest, ExtremesLeaveNanOut) {
  EXPECT_EQ(AggregateText(Function::kMinOverTime, TestCounter()), "1 1 1 1 4 2 2 2 5.5 5.5");
  EXPECT_EQ(AggregateText(Function::kMinOverTime, TestGauge()),
            "1.5 -0.25 -0.25 -0.25 -0.25 2 -Inf -Inf -Inf -Inf");
  EXPECT_EQ(AggregateText(Function::kMaxOverTime, TestCounter()), "1 1 4 9 9 9 9 5.5 7.25 7.25");
  EXPECT_EQ(AggregateText(Function::kMaxOverTime, TestGauge()),
            "1.5 1.5 1.5 3 +Inf +Inf +Inf +Inf 2 -Inf");
  EXPECT_EQ(AggregateText(Function::kMaxOverTime, EvenPoints(10'000, {kTestNan, kTestNan})),
            "NaN NaN NaN NaN NaN - - - - -");
}

TEST(OverTimeTest, CountLastAndPresentDependOnThePointsAlone) {
  EXPECT_EQ(AggregateText(Function::kCountOverTime, TestCounter()), "1 1 2 3 2 2 3 2 2 2");
  EXPECT_EQ(AggregateText(Function::kLastOverTime, TestGauge()),
            "1.5 -0.25 NaN 3 +Inf 2 -Inf -Inf -Inf -Inf");
  EXPECT_EQ(AggregateText(Function::kPresentOverTime, EvenPoints(10'000, {kTestNan, 0})),
            "1 1 1 1 1 - - - - -");
}

TEST(OverTimeTest, DeviationsAreThoseOfPrometheus) {
  EXPECT_EQ(AggregateText(Function::kStddevOverTime, TestCounter()),
            "0 0 1.5 3.299831645537222 2.5 3.5 2.857738033247041 1.75 0.875 0.875");
  EXPECT_EQ(AggregateText(Function::kStdvarOverTime, TestFractions()),
            "0 0.0024999999999999996 0.06888888888888887 1.875e+31 1.8749999999999998e+31 5e+31 "
            "5e+31 2.2222222222222224e+31 2.5e+31 0");
  EXPECT_EQ(AggregateText(Function::kStdvarOverTime, TestGauge()),
            "0 0.765625 NaN NaN NaN NaN NaN NaN NaN NaN");
}

TEST(OverTimeTest, QuantilesTakeNanAsTheLeastValue) {
  EXPECT_EQ(QuantileText(0.5, TestGauge()), "1.5 0.625 -0.25 0.625 1.375 2.5 2.5");
  EXPECT_EQ(QuantileText(0.9, TestGauge()),
            "1.5 1.3250000000000002 1.1500000000000001 2.5500000000000003 +Inf +Inf +Inf");
  EXPECT_EQ(QuantileText(0.25, TestFractions()),
            "0.1 0.125 0.15000000000000002 0.17500000000000002 0.27499999999999997 "
            "-2500000000000000 -2500000000000000");
}

TEST(OverTimeTest, QuantilesOutsideTheUnitIntervalAreInfinite) {
  EXPECT_EQ(QuantileText(-1, TestGauge()), "-Inf -Inf -Inf -Inf -Inf -Inf -Inf");
  EXPECT_EQ(QuantileText(2, TestGauge()), "+Inf +Inf +Inf +Inf +Inf +Inf +Inf");
  EXPECT_EQ(QuantileText(kTestNan, TestGauge()), "NaN NaN NaN NaN NaN NaN NaN");
}

TEST(OverTimeTest, WeightsAreNumbersOfPoints) {
  const std::vector<int64_t> times = {0, 1, 9'000, 10'000};
  const std::vector<double> values = {1, 20, 5, 4};
  const std::vector<uint32_t> weights = {1, 8, 1, 1};
  const PointsView points{.times = times, .values = values, .weights = weights};
  const auto text = [&](Function function) {
    const Windows windows{.steps = {9'000, 1'000, 2}, .range_ms = 9'000};
    std::vector<double> out(2);
    AggregateOverTime(function, points, windows, out);
    return ColumnText(out);
  };

  EXPECT_EQ(text(Function::kCountOverTime), "10 2");
  EXPECT_EQ(text(Function::kSumOverTime), "26 9");
  EXPECT_EQ(text(Function::kAvgOverTime), "2.6 4.5");
  EXPECT_EQ(text(Function::kMaxOverTime), "20 5");
  EXPECT_EQ(text(Function::kLastOverTime), "5 4");
  EXPECT_EQ(text(Function::kPresentOverTime), "1 1");
}

}  // namespace
}  // namespace hourcell::promql
