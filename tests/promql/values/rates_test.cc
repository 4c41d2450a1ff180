#include "promql/values/rates.h"

#include <gtest/gtest.h>

#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

constexpr Windows kRatesMinutes{.steps = {0, 30'000, 6}, .range_ms = 60'000};

std::string RatesText(Function function, const SeriesPoints& points, const Windows& windows) {
  std::vector<double> out(windows.steps.count);
  ExtrapolatedRates(function, points.view(), windows, out);
  return ColumnText(out);
}

std::string InstantText(Function function, const SeriesPoints& points) {
  std::vector<double> out(kRatesMinutes.steps.count);
  InstantRates(function, points.view(), kRatesMinutes, out);
  return ColumnText(out);
}

TEST(RatesTest, AreExtrapolatedToTheBordersAsInPrometheus) {
  EXPECT_EQ(RatesText(Function::kRate, TestCounter(), kRatesMinutes),
            "- 0.15 0.225 0.1611111111111111 0.043750000000000004 -");
  EXPECT_EQ(RatesText(Function::kIncrease, TestCounter(), kRatesMinutes),
            "- 9 13.5 9.666666666666666 2.625 -");
  EXPECT_EQ(RatesText(Function::kDelta, TestCounter(), kRatesMinutes),
            "- 10 4.5 -2.333333333333333 2.625 -");
}

TEST(RatesTest, TheOffsetMovesTheWindows) {
  Windows windows = kRatesMinutes;
  windows.offset_ms = 15'000;

  EXPECT_EQ(RatesText(Function::kRate, TestCounter(), windows),
            "- 0.06666666666666665 0.18333333333333335 0.20416666666666666 0.109375 -");
}

TEST(RatesTest, AFixedTimeGivesAllStepsOneWindow) {
  Windows windows = kRatesMinutes;
  windows.steps.count = 3;
  windows.is_fixed = true;
  windows.fixed_ms = 60'000;

  EXPECT_EQ(RatesText(Function::kRate, TestCounter(), windows), "0.225 0.225 0.225");
}

TEST(RatesTest, ARangeMayHaveMilliseconds) {
  Windows windows = kRatesMinutes;
  windows.steps.count = 5;
  windows.range_ms = 31'333;

  EXPECT_EQ(RatesText(Function::kRate, TestCounter(), windows),
            "- 0.26666666666666666 0.18333333333333332 0.11666666666666667 -");
}

TEST(RatesTest, OnePointHasNoRate) {
  Windows windows = kRatesMinutes;
  windows.range_ms = 7'000;

  EXPECT_EQ(RatesText(Function::kIncrease, TestCounter(), windows), "- - - - - -");
}

TEST(RatesTest, AnInstantRateIsOfTheLastTwoPoints) {
  EXPECT_EQ(InstantText(Function::kIrate, TestCounter()),
            "- 0.3333333333333333 0.23333333333333334 0.11666666666666667 0.11666666666666667 -");
  EXPECT_EQ(InstantText(Function::kIdelta, TestCounter()), "- 5 3.5 1.75 1.75 -");
}

TEST(RatesTest, AfterAResetTheInstantRateIsOfTheNewValue) {
  std::vector<double> out(1);

  InstantRates(Function::kIrate, EvenPoints(10'000, {9, 4}).view(), {{10'000, 1, 1}, 60'000}, out);

  EXPECT_EQ(ColumnText(out), "0.4");
}

TEST(RatesTest, ChangesAndResetsAreCountedWithinTheWindow) {
  const SeriesPoints counter = TestCounter();
  const SeriesPoints gauge = TestGauge();
  std::vector<double> out(5);
  const Windows windows{.steps = {0, 30'000, 5}, .range_ms = 60'000};

  CountResets(counter.view(), windows, out);
  EXPECT_EQ(ColumnText(out), "0 0 1 1 0");
  CountChanges(counter.view(), windows, out);
  EXPECT_EQ(ColumnText(out), "0 2 4 3 1");
  CountResets(gauge.view(), windows, out);
  EXPECT_EQ(ColumnText(out), "0 1 3 2 0");
  CountChanges(gauge.view(), windows, out);
  EXPECT_EQ(ColumnText(out), "0 3 6 3 0");
}

TEST(RatesTest, NanAfterNanIsNoChange) {
  std::vector<double> out(1);

  CountChanges(EvenPoints(1000, {1, kTestNan, kTestNan, 1}).view(), {{3000, 1, 1}, 60'000}, out);

  EXPECT_EQ(ColumnText(out), "2");
}

}  // namespace
}  // namespace hourcell::promql
