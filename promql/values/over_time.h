// The functions that aggregate the values of a window, such as avg_over_time.

#pragma once

#include <span>

#include "promql/columns.h"
#include "promql/text/function.h"
#include "promql/values/range_functions.h"

namespace hourcell::promql {

// avg, count, last, max, min, present, stddev, stdvar and sum _over_time.
//
// The sum and the average are those of Prometheus' additions from left to right. An average that
// became infinite stays so until the other infinity or NaN comes. Of points with weights, the
// average is the quotient of the sum and the number.
void AggregateOverTime(Function function,
                       PointsView points,
                       const Windows& windows,
                       std::span<double> out);

// quantile_over_time, with one quantile a step.
void QuantilesOverTime(PointsView points,
                       const Windows& windows,
                       std::span<const double> quantiles,
                       std::span<double> out);

}  // namespace hourcell::promql
