#include "bench/lab/simulate/model/window_stats.h"

#include <gtest/gtest.h>

namespace hourcell::window_stats_test {
namespace {

TEST(WindowStatsTest, SharesOfTheHottest) {
  WindowStats windows;
  for (int i = 0; i < 98; ++i)
    windows.Close({}, 100, 10);
  windows.Close({}, 100, 60);
  windows.Close({}, 100, 90);
  windows.Close({}, 0, 0);

  EXPECT_EQ(windows.windows(), 100U);
  EXPECT_NEAR(windows.mean_hot_share(), (98 * 0.1 + 0.6 + 0.9) / 100, 1e-6);
  EXPECT_NEAR(windows.p99_hot_share(), 0.9, 1e-6);
  EXPECT_NEAR(windows.max_hot_share(), 0.9, 1e-6);
}

TEST(WindowStatsTest, CurvesStayShort) {
  WindowStats windows;
  for (uint64_t i = 0; i < 10'000; ++i)
    windows.Close({.time_ms = i, .regions = i}, 1, 1);

  const auto curve = windows.curve();
  EXPECT_LE(curve.size(), WindowStats::kCurvePointsMax);
  EXPECT_GE(curve.size(), WindowStats::kCurvePointsMax / 2);
  EXPECT_EQ(curve.front().time_ms, 0U);
  // Points stay evenly apart, to the end.
  const uint64_t step = curve[1].time_ms;
  for (size_t i = 1; i < curve.size(); ++i)
    EXPECT_EQ(curve[i].time_ms - curve[i - 1].time_ms, step);
  EXPECT_GT(curve.back().time_ms + step, 9'999U);
}

TEST(WindowStatsTest, NothingIsNothing) {
  EXPECT_EQ(WindowStats().mean_hot_share(), 0);
  EXPECT_EQ(WindowStats().p99_hot_share(), 0);
}

}  // namespace
}  // namespace hourcell::window_stats_test
