// Functions of histograms: histogram_quantile, of classic and native ones; histogram_count,
// histogram_sum and histogram_fraction, of native ones. A classic histogram is series that differ
// in the label `le`. Results lack the metric name.
//
// Errors: kEqualLabelsText; the memory's and the check's.

#pragma once

#include <cstddef>
#include <span>

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include "promql/evaluation/held_vector.h"

namespace hourcell::promql {

// `quantiles` has one a step. Series of numbers are left out if `le` is not a number. The result is
// without `le`. Where a classic and a native histogram have the same labels, both are left out.
absl::StatusOr<HeldVector> HistogramQuantile(std::span<const double> quantiles,
                                             const HeldVector& vector);

// `number_of` for each native histogram. Numbers are left out.
absl::StatusOr<HeldVector> NumbersOfHistograms(
    absl::FunctionRef<double(size_t step, const NativeHistogram& histogram)> number_of,
    const HeldVector& vector);

}  // namespace hourcell::promql
