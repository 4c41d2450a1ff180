// Selectors: the range of time that a selector needs, and its reads.
//
// A selector is read once for all steps. Errors: those of the source, of the memory and of the
// caller's check. Pure but for the source.

#pragma once

#include <cstdint>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "promql/evaluation/held_vector.h"
#include "promql/series_source.h"
#include "promql/text/expression.h"
#include "promql/values/range_functions.h"

namespace hourcell::promql {

// The times of `@ start()` and `@ end()`: those of the whole query, also in subqueries.
struct QueryTimes {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
};

// The windows of a selector or subquery that is evaluated at `steps`.
Windows WindowsOf(const TimeShift& shift,
                  int64_t range_ms,
                  const Steps& steps,
                  const QueryTimes& times);
// The range of time, inclusive, that has the points of all windows.
struct TimeRange {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
};
TimeRange RangeOf(const Windows& windows);

// The part of a window's last point that a selector takes.
enum class Selected : uint8_t { kValue, kTime };  // kTime: in seconds, for timestamp()

// The last points of each series; sorted by labels.
absl::StatusOr<HeldVector> SelectInstant(const VectorSelector& selector,
                                         const Windows& windows,
                                         Selected selected,
                                         SeriesSource* source,
                                         Budget* budget);

using VisitPoints = absl::FunctionRef<absl::Status(const Labels& labels, PointsView points)>;

// Visits each series with its points in the windows' range, without stale markers, in any order.
// Leaves out series without points. The points may have weights if `needs` is not kPoints.
absl::Status SelectRange(const VectorSelector& selector,
                         const Windows& windows,
                         WindowNeeds needs,
                         SeriesSource* source,
                         Budget* budget,
                         VisitPoints visit);

// Sets the histograms of the last series of the vector where its column has kHistogram: those of
// the last points at or before the ends of the windows. The memory's errors.
absl::Status SetLastHistograms(PointsView points, const Windows& windows, HeldVector* vector);

void SortByLabels(Vector* series);

}  // namespace hourcell::promql
