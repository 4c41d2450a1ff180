#include "promql/values/rates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "promql/values/point_windows.h"

namespace hourcell::promql {
namespace {

bool IsReset(double previous, double value) {
  return value < previous;
}

bool IsChange(double previous, double value) {
  return value != previous && !(std::isnan(value) && std::isnan(previous));
}

double SecondsBetween(int64_t begin_ms, int64_t end_ms) {
  return static_cast<double>(end_ms - begin_ms) / 1000;
}

// Whole seconds and the rest are converted separately, as Go converts a duration.
double SecondsOfRange(int64_t range_ms) {
  const int64_t seconds = range_ms / 1000;
  const int64_t rest_ms = range_ms % 1000;
  return static_cast<double>(seconds) + static_cast<double>(rest_ms) / 1000;
}

// The distance from the outermost point to the border that the increase is extrapolated over.
double ExtrapolatedDistance(double to_border, double average_distance) {
  // A border that is farther away is not the border of a gap of points: the series starts or ends
  // within the window, on average half a distance away from the point.
  return to_border < average_distance * 1.1 ? to_border : average_distance / 2;
}

// How many times longer than the time between the points of a window the extrapolated time is.
double ExtrapolationFactor(PointsView points,
                           PointRange range,
                           int64_t window_end_ms,
                           int64_t range_ms,
                           double counter_increase) {
  const int64_t first_ms = points.times[range.begin];
  const int64_t last_ms = points.times[range.end - 1];
  const double first_value = points.values[range.begin];
  const double sampled = SecondsBetween(first_ms, last_ms);
  const double average_distance = sampled / static_cast<double>(range.size() - 1);
  double to_start = SecondsBetween(window_end_ms - range_ms, first_ms);
  if (counter_increase > 0 && first_value >= 0) {
    const double to_zero = sampled * (first_value / counter_increase);
    if (to_zero < to_start) to_start = to_zero;
  }
  const double to_end = SecondsBetween(last_ms, window_end_ms);
  const double extrapolated = sampled + ExtrapolatedDistance(to_start, average_distance) +
                              ExtrapolatedDistance(to_end, average_distance);
  return extrapolated / sampled;
}

// Of the first and the last histogram of a range, and, for a counter, those before resets.
NativeHistogram IncreaseOf(PointsView points,
                           PointRange range,
                           const std::vector<bool>& is_reset,
                           bool is_counter) {
  const NativeHistogram& first = *points.histograms[range.begin];
  const NativeHistogram& last = *points.histograms[range.end - 1];
  int schema = std::min(first.schema, last.schema);
  for (size_t i = range.begin; is_counter && i < range.end; ++i)
    schema = std::min(schema, points.histograms[i]->schema);
  NativeHistogram increase = WithSchema(last, schema);
  SubtractHistogram(first, &increase);
  for (size_t i = range.begin + 1; is_counter && i < range.end; ++i)
    if (is_reset[i]) AddHistogram(*points.histograms[i - 1], &increase);
  RemoveEmptyBuckets(&increase);
  return increase;
}

// For each point whether it is a histogram that began again after the one before.
std::vector<bool> ResetsOf(PointsView points) {
  std::vector<bool> is_reset(points.size());
  for (size_t i = 1; i < points.size(); ++i) {
    const bool is_pair = IsHistogram(points.values[i - 1]) && IsHistogram(points.values[i]);
    is_reset[i] = is_pair && IsHistogramReset(*points.histograms[i - 1], *points.histograms[i]);
  }
  return is_reset;
}

}  // namespace

void ExtrapolatedRates(Function function,
                       PointsView points,
                       const Windows& windows,
                       std::span<double> out) {
  HOURCELL_DCHECK(function == Function::kRate || function == Function::kIncrease ||
                  function == Function::kDelta);
  const bool is_counter = function != Function::kDelta;
  const double divisor = function == Function::kRate ? SecondsOfRange(windows.range_ms) : 1;
  MovingEvents resets(points.values, IsReset);
  FillWindows(points, windows, out, [&](size_t i, PointRange range) {
    if (range.size() < 2) return kNoValue;
    double increase = points.values[range.end - 1] - points.values[range.begin];
    if (is_counter) {
      // In the order of points, so that rounding is that of a sum over all points.
      for (const size_t reset : resets.MoveTo(range))
        increase += points.values[reset - 1];
    }
    const double factor = ExtrapolationFactor(points, range, windows.end_of(i), windows.range_ms,
                                              is_counter ? increase : 0);
    return increase * (factor / divisor);
  });
}

absl::Status HistogramRates(
    Function function,
    PointsView points,
    const Windows& windows,
    std::span<double> out,
    absl::FunctionRef<absl::Status(size_t step, NativeHistogram histogram)> set) {
  HOURCELL_DCHECK(points.histograms.size() == points.size());
  const bool is_counter = function != Function::kDelta;
  const double divisor = function == Function::kRate ? SecondsOfRange(windows.range_ms) : 1;
  const std::vector<bool> is_reset = is_counter ? ResetsOf(points) : std::vector<bool>();
  std::vector<size_t> histograms_before = {0};
  for (const double value : points.values)
    histograms_before.push_back(histograms_before.back() + (IsHistogram(value) ? 1 : 0));
  absl::Status status;
  FillWindows(points, windows, out, [&](size_t i, PointRange range) {
    const size_t histograms = histograms_before[range.end] - histograms_before[range.begin];
    if (histograms == 0) return out[i];
    if (histograms < range.size() || range.size() < 2 || !status.ok()) return kNoValue;
    NativeHistogram rate = IncreaseOf(points, range, is_reset, is_counter);
    const double factor = ExtrapolationFactor(points, range, windows.end_of(i), windows.range_ms,
                                              /*counter_increase=*/0);
    ScaleHistogram(factor / divisor, &rate);
    status = set(i, std::move(rate));
    return status.ok() ? kHistogram : kNoValue;
  });
  return status;
}

void InstantRates(Function function,
                  PointsView points,
                  const Windows& windows,
                  std::span<double> out) {
  HOURCELL_DCHECK(function == Function::kIrate || function == Function::kIdelta);
  const bool is_rate = function == Function::kIrate;
  FillDistinctWindows(points, windows, out, [&](PointRange range) {
    if (range.size() < 2) return kNoValue;
    const double previous = points.values[range.end - 2];
    const double last = points.values[range.end - 1];
    const double seconds = SecondsBetween(points.times[range.end - 2], points.times[range.end - 1]);
    if (seconds == 0) return kNoValue;
    if (!is_rate) return last - previous;
    return (IsReset(previous, last) ? last : last - previous) / seconds;
  });
}

void CountResets(PointsView points, const Windows& windows, std::span<double> out) {
  MovingEvents resets(points.values, IsReset);
  FillDistinctWindows(points, windows, out, [&](PointRange range) {
    return static_cast<double>(resets.MoveTo(range).size());
  });
}

void CountChanges(PointsView points, const Windows& windows, std::span<double> out) {
  MovingEvents changes(points.values, IsChange);
  FillDistinctWindows(points, windows, out, [&](PointRange range) {
    return static_cast<double>(changes.MoveTo(range).size());
  });
}

}  // namespace hourcell::promql
