// histogram_quantile of classic histograms: series that differ in the label `le`.
//
// Errors: kEqualLabelsText; the memory's and the check's.

#pragma once

#include <span>

#include <absl/status/statusor.h>

#include "promql/evaluation/held_vector.h"

namespace hourcell::promql {

// `quantiles` has one a step. Series are left out if `le` is not a number. The result has
// neither `le` nor a metric name.
absl::StatusOr<HeldVector> HistogramQuantile(std::span<const double> quantiles,
                                             const HeldVector& vector);

}  // namespace hourcell::promql
