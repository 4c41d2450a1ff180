// Numbers of a native histogram, as Prometheus 2.42 calculates them: quantiles and fractions,
// linear within a bucket. Pure; thread-safe.

#pragma once

#include <absl/functional/function_ref.h>

#include "promql/histograms/native_histogram.h"

namespace hourcell::promql {

struct ValueRange {
  double lower = 0;
  double upper = 0;
  bool has_lower = false;  // the bound is in the range
  bool has_upper = false;
  double count = 0;
};

// Visits all buckets from the lowest one, until `visit` returns false. The bounds of buckets that
// overlap the zero bucket are cut to its threshold. Leaves out a zero bucket without values.
void VisitBuckets(const NativeHistogram& histogram,
                  absl::FunctionRef<bool(const ValueRange&)> visit);

// NaN of a histogram without values, and of the quantile NaN; -Inf below 0, +Inf above 1.
double NativeQuantile(double quantile, const NativeHistogram& histogram);

// The part of the values from `lower` to `upper`. NaN of a histogram without values, and if a bound
// is NaN.
double NativeFraction(double lower, double upper, const NativeHistogram& histogram);

}  // namespace hourcell::promql
