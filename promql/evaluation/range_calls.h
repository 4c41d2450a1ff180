// Functions of range vectors, over the points of a selector or the columns of a subquery.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "promql/evaluation/held_vector.h"
#include "promql/evaluation/selectors.h"
#include "promql/text/expression.h"
#include "promql/values/range_functions.h"

namespace hourcell::promql {

// The steps at which the inner expression of a subquery is evaluated: the multiples of its step in
// the windows' range. None: the range has no multiple.
std::optional<Steps> StepsOfSubquery(const Subquery& subquery,
                                     const Windows& windows,
                                     int64_t default_step_ms);

// Visits the columns of a vector as points at `steps`, in the order of the vector.
absl::Status VisitColumns(const HeldVector& vector, const Steps& steps, VisitPoints visit);

// Calls `visit` for each series of a range vector.
using VisitSeries = absl::FunctionRef<absl::Status(VisitPoints visit)>;

// A function of Function that IsRangeFunction has. `parameters` are its scalars. Only
// last_over_time keeps the metric's name. Sorted by the labels of the range vector. Sets
// `*leaves_out` to true if there are histograms and the function takes numbers only. Errors:
// kEqualLabelsText; the parameters of holt_winters that are outside (0, 1).
absl::StatusOr<HeldVector> CallOfRange(Function function,
                                       const Windows& windows,
                                       std::span<const std::span<const double>> parameters,
                                       VisitSeries visit_series,
                                       Budget* budget,
                                       bool* leaves_out);

// 1 at each step at which no series has a point.
absl::StatusOr<HeldVector> AbsentOverTime(const Windows& windows,
                                          Labels labels,
                                          VisitSeries visit_series,
                                          Budget* budget);

}  // namespace hourcell::promql
