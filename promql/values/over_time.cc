#include "promql/values/over_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "codec/base/check.h"
#include "promql/values/aggregators.h"
#include "promql/values/arithmetic.h"
#include "promql/values/point_windows.h"

namespace hourcell::promql {
namespace {

struct WindowSum {
  KahanSum sum;

  void Add(double value) { sum.Add(value); }
  double Result() const { return sum.TotalOrInfinity(); }
};

struct WindowAverage {
  KahanSum mean;
  double count = 0;

  void Add(double value) {
    ++count;
    if (KeepsInfinity(mean.sum, value)) return;
    // Two quotients: the difference of two large values would overflow.
    mean.Add(value / count - mean.sum / count);
  }
  double Result() const { return mean.TotalOrInfinity(); }
};

struct WindowVariance {
  KahanSum mean;
  KahanSum squares;
  double count = 0;

  void Add(double value) {
    ++count;
    const double deviation = value - mean.Total();
    mean.Add(deviation / count);
    squares.Add(deviation * (value - mean.Total()));
  }
  double Result() const { return squares.Total() / count; }
};

struct WindowDeviation : WindowVariance {
  double Result() const { return std::sqrt(WindowVariance::Result()); }
};

// Windows that each read all their values, from the first to the last: a sum of rounded numbers
// depends on their order. Each step of such a sum waits for the one before, so four windows are
// calculated at once.
template <typename Result>
class RecalculatedWindows {
 public:
  RecalculatedWindows(std::span<const double> values, std::span<double> out)
      : values_(values), out_(out) {}

  // The window of a step. REQUIRES: steps ascend.
  void Add(size_t step, PointRange range) {
    if (count_ > 0 && runs_[count_ - 1].range == range && runs_[count_ - 1].end == step) {
      ++runs_[count_ - 1].end;
      return;
    }
    if (count_ == kAtOnce) Finish();
    runs_[count_++] = {.range = range, .begin = step, .end = step + 1};
  }

  // Calculates the windows that were added.
  void Finish() {
    Result results[kAtOnce];
    const size_t common = count_ == kAtOnce ? std::ranges::min(runs_, {}, SizeOf).range.size() : 0;
    if (common > 0) AddFour(common, results);
    for (size_t k = 0; k < count_; ++k) {
      const Run& run = runs_[k];
      for (size_t i = run.range.begin + common; i < run.range.end; ++i)
        results[k].Add(values_[i]);
      std::ranges::fill(out_.subspan(run.begin, run.end - run.begin), results[k].Result());
    }
    count_ = 0;
  }

 private:
  static constexpr size_t kAtOnce = 4;
  // Steps [begin, end), which have the same window.
  struct Run {
    PointRange range = {};
    size_t begin = 0;
    size_t end = 0;
  };
  static size_t SizeOf(const Run& run) { return run.range.size(); }

  void AddFour(size_t values, Result* results) const {
    const double* const a = &values_[runs_[0].range.begin];
    const double* const b = &values_[runs_[1].range.begin];
    const double* const c = &values_[runs_[2].range.begin];
    const double* const d = &values_[runs_[3].range.begin];
    Result of_a, of_b, of_c, of_d;
    for (size_t i = 0; i < values; ++i) {
      of_a.Add(a[i]);
      of_b.Add(b[i]);
      of_c.Add(c[i]);
      of_d.Add(d[i]);
    }
    results[0] = of_a;
    results[1] = of_b;
    results[2] = of_c;
    results[3] = of_d;
  }

  const std::span<const double> values_;
  const std::span<double> out_;
  std::array<Run, kAtOnce> runs_;
  size_t count_ = 0;  // of runs_
};

template <typename Result>
void Recalculate(PointsView points, const Windows& windows, std::span<double> out) {
  RecalculatedWindows<Result> recalculated(points.values, out);
  FillWindows(points, windows, out, [&](size_t step, PointRange range) {
    recalculated.Add(step, range);
    return kNoValue;  // until it is calculated
  });
  recalculated.Finish();
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
  if (!HaveExactSums(points.values)) return Recalculate<WindowSum>(points, windows, out);
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

uint64_t WeightOf(PointsView points, PointRange range) {
  uint64_t weight = 0;
  for (size_t i = range.begin; i < range.end; ++i)
    weight += points.weights[i];
  return weight;
}

// Count, sum and average of points with weights.
void AggregateWeighted(Function function,
                       PointsView points,
                       const Windows& windows,
                       std::span<double> out) {
  FillDistinctWindows(points, windows, out, [&](PointRange range) {
    if (function == Function::kCountOverTime) return static_cast<double>(WeightOf(points, range));
    WindowSum sum;
    for (size_t i = range.begin; i < range.end; ++i)
      sum.Add(points.values[i]);
    if (function == Function::kSumOverTime) return sum.Result();
    return sum.Result() / static_cast<double>(WeightOf(points, range));
  });
}

bool DependsOnWeights(Function function) {
  return function == Function::kAvgOverTime || function == Function::kCountOverTime ||
         function == Function::kSumOverTime;
}

}  // namespace

void AggregateOverTime(Function function,
                       PointsView points,
                       const Windows& windows,
                       std::span<double> out) {
  if (!points.weights.empty() && DependsOnWeights(function))
    return AggregateWeighted(function, points, windows, out);
  switch (function) {
    case Function::kAvgOverTime:
      return Recalculate<WindowAverage>(points, windows, out);
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
      return Recalculate<WindowDeviation>(points, windows, out);
    case Function::kStdvarOverTime:
      return Recalculate<WindowVariance>(points, windows, out);
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
