#include "promql/values/regressions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "codec/base/check.h"
#include "promql/values/arithmetic.h"
#include "promql/values/point_windows.h"

namespace hourcell::promql {
namespace {

struct Line {
  double slope = 0;      // a second
  double intercept = 0;  // the value at the origin
};

bool IsConstant(std::span<const double> values) {
  return std::ranges::all_of(values.subspan(1),
                             [&](double value) { return value == values.front(); });
}

// By least squares. REQUIRES: `range` is not empty.
Line LinearRegression(PointsView points, PointRange range, int64_t origin_ms) {
  const std::span<const double> values = points.values.subspan(range.begin, range.size());
  if (IsConstant(values)) {
    // Rounding of sums would give a slope.
    if (!std::isinf(values.front())) return {0, values.front()};
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    return {kUnknown, kUnknown};
  }
  KahanSum x_sum;
  KahanSum y_sum;
  KahanSum xy_sum;
  KahanSum xx_sum;
  for (size_t i = range.begin; i < range.end; ++i) {
    const double x = static_cast<double>(points.times[i] - origin_ms) / 1000;
    const double y = points.values[i];
    x_sum.Add(x);
    y_sum.Add(y);
    xy_sum.Add(x * y);
    xx_sum.Add(x * x);
  }
  const double n = static_cast<double>(range.size());
  const double covariance = xy_sum.Total() - x_sum.Total() * y_sum.Total() / n;
  const double variance = xx_sum.Total() - x_sum.Total() * x_sum.Total() / n;
  const double slope = covariance / variance;
  return {slope, y_sum.Total() / n - slope * x_sum.Total() / n};
}

// The last smoothed value. REQUIRES: at least two values.
double Smooth(std::span<const double> values, double smoothing_factor, double trend_factor) {
  double previous = 0;
  double smoothed = values[0];
  double trend = values[1] - values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    if (i > 1) trend = trend_factor * (smoothed - previous) + (1 - trend_factor) * trend;
    const double next = smoothing_factor * values[i] + (1 - smoothing_factor) * (smoothed + trend);
    previous = smoothed;
    smoothed = next;
  }
  return smoothed;
}

}  // namespace

void Slopes(PointsView points, const Windows& windows, std::span<double> out) {
  FillDistinctWindows(points, windows, out, [&](PointRange range) {
    if (range.size() < 2) return kNoValue;
    // An origin near the points keeps the digits of their times.
    return LinearRegression(points, range, points.times[range.begin]).slope;
  });
}

void LinearPredictions(PointsView points,
                       const Windows& windows,
                       std::span<const double> seconds,
                       std::span<double> out) {
  FillWindows(points, windows, out, [&](size_t i, PointRange range) {
    if (range.size() < 2) return kNoValue;
    const Line line = LinearRegression(points, range, windows.steps.at(i));
    return line.slope * seconds[i] + line.intercept;
  });
}

void SmoothedValues(PointsView points,
                    const Windows& windows,
                    std::span<const double> smoothing_factors,
                    std::span<const double> trend_factors,
                    std::span<double> out) {
  HOURCELL_DCHECK(smoothing_factors.size() == out.size() && trend_factors.size() == out.size());
  FillWindows(points, windows, out, [&](size_t i, PointRange range) {
    if (range.size() < 2) return kNoValue;
    return Smooth(points.values.subspan(range.begin, range.size()), smoothing_factors[i],
                  trend_factors[i]);
  });
}

}  // namespace hourcell::promql
