#include "promql/values/point_windows.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

std::vector<PointRange> RangesOf(const SeriesPoints& points, const Windows& windows) {
  std::vector<PointRange> ranges;
  std::vector<double> out(windows.steps.count);
  FillWindows(points.view(), windows, out, [&](size_t, PointRange range) {
    ranges.push_back(range);
    return 1.0;
  });
  return ranges;
}

TEST(PointWindowsTest, BothEndsOfAWindowBelongToIt) {
  const SeriesPoints points = EvenPoints(1000, {0, 1, 2, 3, 4});

  const auto ranges = RangesOf(points, {.steps = {2000, 1000, 2}, .range_ms = 1000});

  EXPECT_EQ(ranges, (std::vector<PointRange>{{1, 3}, {2, 4}}));
}

TEST(PointWindowsTest, AWindowWithoutPointsHasNoValue) {
  const SeriesPoints points = EvenPoints(1000, {0, 1});
  std::vector<double> out(4);

  FillWindows(points.view(), {.steps = {-500, 1000, 4}, .range_ms = 400}, out,
              [](size_t, PointRange) { return 1.0; });

  EXPECT_EQ(ColumnText(out), "- - - -");
}

TEST(PointWindowsTest, EqualRangesInARowAreCalculatedOnce) {
  const SeriesPoints points = EvenPoints(1000, {0, 1, 2});
  std::vector<double> out(6);
  int calls = 0;

  FillDistinctWindows(points.view(), {.steps = {0, 500, 6}, .range_ms = 100'000}, out,
                      [&](PointRange range) {
                        ++calls;
                        return static_cast<double>(range.size());
                      });

  EXPECT_EQ(ColumnText(out), "1 1 2 2 3 3");
  EXPECT_EQ(calls, 3);
}

// Ranges with ends that only move forward, sometimes far.
std::vector<PointRange> RandomRanges(size_t points, Random* random) {
  std::vector<PointRange> ranges;
  PointRange range{0, 1};
  while (range.end <= points) {
    ranges.push_back(range);
    range.end += random->Below(4);
    range.begin = std::min(range.begin + random->Below(5), range.end - 1);
  }
  return ranges;
}

TEST(PointWindowsTest, EventsAndExtremesAreThoseOfASearch) {
  Random random(/*seed=*/17);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> values(60);
    for (double& value : values) {
      value = random.Below(9) == 0 ? kTestNan : static_cast<double>(random.Below(6));
    }
    const auto is_less = [](double a, double b) { return b < a; };
    MovingEvents events(values, is_less);
    MovingExtreme extreme(values, std::greater<double>());
    for (const PointRange range : RandomRanges(values.size(), &random)) {
      std::vector<size_t> expected_events;
      double expected_max = values[range.begin];
      for (size_t i = range.begin + 1; i < range.end; ++i) {
        if (is_less(values[i - 1], values[i])) expected_events.push_back(i);
        if (values[i] > expected_max || expected_max != expected_max) expected_max = values[i];
      }

      const auto found = events.MoveTo(range);

      EXPECT_EQ(std::vector<size_t>(found.begin(), found.end()), expected_events);
      EXPECT_EQ(NumberText(extreme.MoveTo(range)), NumberText(expected_max));
    }
  }
}

}  // namespace
}  // namespace hourcell::promql
