#include "promql/values/over_time.h"

#include <cmath>
#include <functional>
#include <vector>

#include "codec/base/check.h"
#include "promql/values/aggregators.h"
#include "promql/values/arithmetic.h"
#include "promql/values/point_windows.h"

namespace hourcell::promql {
namespace {

double Sum(std::span<const double> values) {
  KahanSum sum;
  for (const double value : values)
    sum.Add(value);
  return sum.TotalOrInfinity();
}

double Average(std::span<const double> values) {
  KahanSum mean;
  double count = 0;
  for (const double value : values) {
    ++count;
    if (KeepsInfinity(mean.sum, value)) continue;
    // Two quotients: the difference of two large values would overflow.
    mean.Add(value / count - mean.sum / count);
  }
  return mean.TotalOrInfinity();
}

double Variance(std::span<const double> values) {
  KahanSum mean;
  KahanSum squares;
  double count = 0;
  for (const double value : values) {
    ++count;
    const double deviation = value - mean.Total();
    mean.Add(deviation / count);
    squares.Add(deviation * (value - mean.Total()));
  }
  return squares.Total() / count;
}

// True if all values are integers, and each sum of some of them is exact. Then sums in any order
// are equal.
bool HaveExactSums(std::span<const double> values) {
  constexpr double kExactMax = 9007199254740992;  // 2^53
  double sum = 0;
  for (const double value : values) {
    sum += std::abs(value);
    if (!(sum <= kExactMax) || value != std::trunc(value)) return false;
  }
  return true;
}

void SumOverTime(PointsView points, const Windows& windows, std::span<double> out) {
  if (!HaveExactSums(points.values)) {
    return FillDistinctWindows(points, windows, out, [&](PointRange range) {
      return Sum(points.values.subspan(range.begin, range.size()));
    });
  }
  PointRange summed;
  double sum = 0;
  FillDistinctWindows(points, windows, out, [&](PointRange range) {
    for (; summed.end < range.end; ++summed.end)
      sum += points.values[summed.end];
    for (; summed.begin < range.begin; ++summed.begin)
      sum -= points.values[summed.begin];
    return sum;
  });
}

template <typename IsBetter>
void ExtremeOverTime(PointsView points,
                     const Windows& windows,
                     IsBetter is_better,
                     std::span<double> out) {
  MovingExtreme extreme(points.values, is_better);
  FillDistinctWindows(points, windows, out,
                      [&](PointRange range) { return extreme.MoveTo(range); });
}

// Each window reads all its values.
void RecalculateOverTime(PointsView points,
                         const Windows& windows,
                         double (*calculate)(std::span<const double>),
                         std::span<double> out) {
  FillDistinctWindows(points, windows, out, [&](PointRange range) {
    return calculate(points.values.subspan(range.begin, range.size()));
  });
}

double StandardDeviation(std::span<const double> values) {
  return std::sqrt(Variance(values));
}

}  // namespace

void AggregateOverTime(Function function,
                       PointsView points,
                       const Windows& windows,
                       std::span<double> out) {
  switch (function) {
    case Function::kAvgOverTime:
      return RecalculateOverTime(points, windows, Average, out);
    case Function::kCountOverTime:
      return FillDistinctWindows(
          points, windows, out, [](PointRange range) { return static_cast<double>(range.size()); });
    case Function::kLastOverTime:
      return FillDistinctWindows(points, windows, out,
                                 [&](PointRange range) { return points.values[range.end - 1]; });
    case Function::kMaxOverTime:
      return ExtremeOverTime(points, windows, std::greater<double>(), out);
    case Function::kMinOverTime:
      return ExtremeOverTime(points, windows, std::less<double>(), out);
    case Function::kPresentOverTime:
      return FillDistinctWindows(points, windows, out, [](PointRange) { return 1.0; });
    case Function::kStddevOverTime:
      return RecalculateOverTime(points, windows, StandardDeviation, out);
    case Function::kStdvarOverTime:
      return RecalculateOverTime(points, windows, Variance, out);
    case Function::kSumOverTime:
      return SumOverTime(points, windows, out);
    default:
      HOURCELL_CHECK(false);
  }
}

void QuantilesOverTime(PointsView points,
                       const Windows& windows,
                       std::span<const double> quantiles,
                       std::span<double> out) {
  std::vector<double> values;
  FillWindows(points, windows, out, [&](size_t i, PointRange range) {
    const auto window = points.values.subspan(range.begin, range.size());
    values.assign(window.begin(), window.end());
    return Quantile(quantiles[i], values);
  });
}

}  // namespace hourcell::promql
