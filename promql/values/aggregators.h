// The aggregations of PromQL over the values of one group at one step.

#pragma once

#include <span>

namespace hourcell::promql {

// quantile(q, v): linear between the two nearest ranks. `values` is sorted in place. NaN without
// values; -Inf and +Inf if q is outside [0, 1].
double Quantile(double quantile, std::span<double> values);

// Accumulates columns: sum, avg, count, min, max, group, stddev, stdvar, in the order of Prometheus
// (engine.go of 2.42): Add each series' column, then Finish. See aggregators.cc.
}  // namespace hourcell::promql
