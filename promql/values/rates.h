// Functions of the increase of a series in a window: rate, increase, delta, irate, idelta, resets,
// changes.
//
// They need two points in a window, but for resets and changes, which are 0 with one point. A
// counter that falls was reset to 0 just before.

#pragma once

#include <span>

#include "promql/columns.h"
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

// irate and idelta: of the last two points.
void InstantRates(Function function,
                  PointsView points,
                  const Windows& windows,
                  std::span<double> out);

void CountResets(PointsView points, const Windows& windows, std::span<double> out);
// NaN after NaN is no change.
void CountChanges(PointsView points, const Windows& windows, std::span<double> out);

}  // namespace hourcell::promql
