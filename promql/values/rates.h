// Functions of the increase of a series in a window: rate, increase, delta, irate, idelta, resets,
// changes.
//
// They need two points in a window, but for resets and changes, which are 0 with one point. A
// counter that falls was reset to 0 just before.

#pragma once

#include <cstddef>
#include <span>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include "promql/columns.h"
#include "promql/histograms/native_histogram.h"
#include "promql/text/function.h"
#include "promql/values/range_functions.h"

namespace hourcell::promql {

// rate, increase and delta: the difference of the last and the first point, extrapolated to the
// borders of the window. A border farther from the next point than 1.1 times the average distance
// of points counts as half that distance away, and a counter does not start before it was 0.
void ExtrapolatedRates(Function function,
                       PointsView points,
                       const Windows& windows,
                       std::span<double> out);

// The same of a series with histograms: calls `set` for each window that has only histograms, two
// at least. Removes the number in `out` of a window that has numbers and histograms. A histogram
// that is lower than the one before is a reset, as in Prometheus 2.42: the hint of the client is
// not used, and the time at which the counter was 0 does not shorten the extrapolation. An error of
// `set` ends it.
absl::Status HistogramRates(
    Function function,
    PointsView points,
    const Windows& windows,
    std::span<double> out,
    absl::FunctionRef<absl::Status(size_t step, NativeHistogram histogram)> set);

// irate and idelta: of the last two points.
void InstantRates(Function function,
                  PointsView points,
                  const Windows& windows,
                  std::span<double> out);

void CountResets(PointsView points, const Windows& windows, std::span<double> out);
// NaN after NaN is no change.
void CountChanges(PointsView points, const Windows& windows, std::span<double> out);

}  // namespace hourcell::promql
