// Functions of the trend of a series in a window: deriv, predict_linear, holt_winters. They need
// two points in a window.

#pragma once

#include <span>

#include <absl/status/status.h>

#include "promql/columns.h"
#include "promql/values/range_functions.h"

namespace hourcell::promql {

// deriv: the slope of the linear regression, a second.
void Slopes(PointsView points, const Windows& windows, std::span<double> out);

// predict_linear: the linear regression `seconds[i]` after the time of step i, also if the window
// has an offset or a fixed time.
void LinearPredictions(PointsView points,
                       const Windows& windows,
                       std::span<const double> seconds,
                       std::span<double> out);

// holt_winters: double exponential smoothing, at the last point.
// REQUIRES: as many factors as steps. CheckHoltWinters is for the caller.
void SmoothedValues(PointsView points,
                    const Windows& windows,
                    std::span<const double> smoothing_factors,
                    std::span<const double> trend_factors,
                    std::span<double> out);

}  // namespace hourcell::promql
