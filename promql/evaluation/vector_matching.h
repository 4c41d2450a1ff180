// Arithmetic and comparisons of two vectors: which elements belong together, by on, ignoring,
// group_left and group_right.
//
// The series are put into groups of equal matching labels once; then each pair of series of a group
// is calculated at all steps. Errors: kInvalidArgument with Prometheus' texts if the match is
// ambiguous at a step (the earliest one counts); the memory's and the check's.

#pragma once

#include <absl/status/statusor.h>

#include "promql/evaluation/held_vector.h"
#include "promql/text/expression.h"

namespace hourcell::promql {

// Histograms can be added to each other. REQUIRES: `op` is not a set operator; the cardinality is
// not many-to-many; without histograms unless it is an addition.
absl::StatusOr<HeldVector> CombineVectors(BinaryOperator op,
                                          const VectorMatching& matching,
                                          bool return_bool,
                                          HeldVector left,
                                          HeldVector right);

}  // namespace hourcell::promql
