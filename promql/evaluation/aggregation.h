// Aggregations of a vector by groups of labels. ranking.h has topk and bottomk.
//
// Errors: kInvalidArgument for a label of count_values that is not a name; the memory's and the
// check's.

#pragma once

#include <span>
#include <string_view>

#include <absl/status/statusor.h>

#include "promql/evaluation/held_vector.h"
#include "promql/evaluation/series_groups.h"
#include "promql/text/expression.h"

namespace hourcell::promql {

// sum, avg, count, min, max, group, stddev, stdvar. Histograms have a sum, unless there are numbers
// in the group at the step, and count as elements of count and group. REQUIRES:
// IsGroupAggregate(op); without histograms for the others.
absl::StatusOr<HeldVector> Aggregate(AggregateOperator op,
                                     const GroupingRule& grouping,
                                     const HeldVector& vector);

// quantile: `quantiles` has one a step.
absl::StatusOr<HeldVector> AggregateQuantile(std::span<const double> quantiles,
                                             const GroupingRule& grouping,
                                             const HeldVector& vector);

// count_values: how many elements of a group have each value; the value becomes the label `label`.
absl::StatusOr<HeldVector> CountValues(std::string_view label,
                                       const GroupingRule& grouping,
                                       const HeldVector& vector);

}  // namespace hourcell::promql
