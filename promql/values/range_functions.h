// Functions of range vectors, such as rate(m[5m]): one column of results from the points of one
// series.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <absl/status/status.h>

#include "promql/columns.h"
#include "promql/series_source.h"
#include "promql/text/function.h"

namespace hourcell::promql {

// The windows of a range function. The window of step i has the points in
// [steps.at(i) - offset - range, steps.at(i) - offset], both inclusive as in Prometheus 2.42. With
// a fixed time (@) all steps have the window of `fixed_ms`. Prometheus 2.42 does the same but for
// range queries of predict_linear, and of functions whose parameters change with time: it moves
// their windows, against its documents.
struct Windows {
  Steps steps;
  int64_t range_ms = 0;
  int64_t offset_ms = 0;
  bool is_fixed = false;
  int64_t fixed_ms = 0;
  int64_t end_of(size_t i) const { return (is_fixed ? fixed_ms : steps.at(i)) - offset_ms; }
};

// True if the function takes a range vector and gives a value for each series. False for
// absent_over_time, which needs all series.
bool IsRangeFunction(Function function);

// The part of its windows' points that a function needs; kPoints for most.
WindowNeeds NeedsOf(Function function);

// Calculates the function in each window. `points` is without stale markers. It has weights only as
// the answer to a request with NeedsOf(function). `parameters` has a
// column for each scalar argument in their order: quantile_over_time 1, predict_linear 1,
// holt_winters 2, which CheckHoltWinters accepts at each step.
// `out` has one value a step: kNoValue where the function gives none. Sums over windows that
// overlap are calculated so that results are those of Prometheus' order of additions (Kahan) to
// 1e-12.
void ApplyRangeFunction(Function function,
                        PointsView points,
                        const Windows& windows,
                        std::span<const std::span<const double>> parameters,
                        std::span<double> out);

// The factors of holt_winters, each between 0 and 1. kInvalidArgument with Prometheus' text:
// "invalid smoothing factor. Expected: 0 < sf < 1, got: 1.500000".
absl::Status CheckHoltWinters(double smoothing_factor, double trend_factor);

// For an instant selector: the last point at or before each step's time and not older than
// `lookback_ms` (inclusive), unless it is a stale marker. `points` has stale markers. With `times`
// non-empty, also gives the time of that point in seconds (timestamp()).
void SelectLast(PointsView points,
                const Windows& windows,  // range_ms is the lookback
                std::span<double> out,
                std::span<double> times = {});

}  // namespace hourcell::promql
