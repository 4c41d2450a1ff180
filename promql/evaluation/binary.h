// Binary operators of scalars, of a vector and a scalar, and the set operators of two vectors.
// vector_matching.h has the other operators of two vectors. Each consumes its operands.
//
// Errors: kEqualLabelsText; the memory's and the check's.

#pragma once

#include <cstdint>

#include <absl/status/statusor.h>

#include "promql/evaluation/held_vector.h"
#include "promql/text/expression.h"

namespace hourcell::promql {

// Two scalars. A comparison gives 1 or 0: between scalars it has `bool`.
absl::StatusOr<HeldVector> CombineScalars(BinaryOperator op, HeldVector left, HeldVector right);

enum class ScalarSide : uint8_t { kLeft, kRight };
// Each element of the vector and the scalar of its step. A comparison keeps the elements for which
// it holds, or with `return_bool` gives 1 or 0 for each.
absl::StatusOr<HeldVector> CombineWithScalar(BinaryOperator op,
                                             HeldVector vector,
                                             HeldVector scalar,
                                             ScalarSide scalar_side,
                                             bool return_bool);

// and, or, unless: elements match at a step if their matching labels have equal values.
absl::StatusOr<HeldVector> CombineSets(BinaryOperator op,
                                       const VectorMatching& matching,
                                       HeldVector left,
                                       HeldVector right);

// True if the operator removes the metric name.
bool DropsMetricName(BinaryOperator op, bool return_bool);

}  // namespace hourcell::promql
