#include "promql/values/regressions.h"

#include <gtest/gtest.h>

#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

constexpr Windows kRegressionsMinutes{.steps = {0, 30'000, 6}, .range_ms = 60'000};

TEST(RegressionsTest, TheSlopeIsThatOfPrometheus) {
  std::vector<double> out(6);

  Slopes(TestCounter().view(), kRegressionsMinutes, out);

  EXPECT_EQ(ColumnText(out),
            "- 0.26666666666666666 0.04666666666666667 -0.011666666666666667 "
            "0.11666666666666667 -");
}

TEST(RegressionsTest, AConstantHasNoSlopeAndAnInfinityAnUnknownOne) {
  std::vector<double> out(1);

  Slopes(EvenPoints(10'000, {0.1, 0.1, 0.1}).view(), {{20'000, 1, 1}, 60'000}, out);
  EXPECT_EQ(ColumnText(out), "0");
  Slopes(EvenPoints(10'000, {kTestInfinity, kTestInfinity}).view(), {{20'000, 1, 1}, 60'000}, out);
  EXPECT_EQ(ColumnText(out), "NaN");
}

TEST(RegressionsTest, APredictionStartsAtTheStepEvenWithAnOffset) {
  const std::vector<double> seconds(6, 60);
  std::vector<double> out(6);
  Windows windows = kRegressionsMinutes;

  LinearPredictions(TestCounter().view(), windows, seconds, out);
  EXPECT_EQ(ColumnText(out), "- 24.666666666666668 8.5 4.8 19.5 -");

  windows.offset_ms = 15'000;
  LinearPredictions(TestCounter().view(), windows, seconds, out);
  EXPECT_EQ(ColumnText(out), "- 19 9.2 7.65 25.916666666666664 -");
}

TEST(RegressionsTest, SmoothingIsThatOfPrometheus) {
  std::vector<double> out(6);

  SmoothedValues(TestCounter().view(), kRegressionsMinutes, std::vector<double>(6, 0.5),
                 std::vector<double>(6, 0.3), out);

  EXPECT_EQ(ColumnText(out), "- 8 7.0275 1.0375 7.25 -");
}

TEST(RegressionsTest, AFactorOfNanGivesNan) {
  std::vector<double> out(6);

  SmoothedValues(TestCounter().view(), kRegressionsMinutes, std::vector<double>(6, kTestNan),
                 std::vector<double>(6, 0.3), out);

  EXPECT_EQ(ColumnText(out), "- NaN NaN NaN NaN -");
}

}  // namespace
}  // namespace hourcell::promql
