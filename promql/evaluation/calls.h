// Functions of instant vectors and scalars. range_calls.h has those of range vectors, histogram.h
// histogram_quantile, ranking.h sort. Those that take a vector by value consume it.
//
// Errors: kEqualLabelsText; the memory's and the check's.

#pragma once

#include <span>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "promql/evaluation/held_vector.h"
#include "promql/text/expression.h"

namespace hourcell::promql {

// A function that calculates each element by itself. REQUIRES: IsValueFunction(function).
absl::StatusOr<HeldVector> CallOfValues(Function function,
                                        std::span<const std::span<const double>> parameters,
                                        HeldVector vector);

// time(): a scalar, in seconds.
absl::StatusOr<HeldVector> TimeScalar(const Steps& steps, Budget* budget);
// timestamp() of a vector that is not a selector: the time of the step.
absl::StatusOr<HeldVector> Timestamps(const Steps& steps, HeldVector vector);

// scalar(): the element of the steps that have one element; NaN at the others.
absl::StatusOr<HeldVector> ScalarOfVector(const HeldVector& vector);

// absent(): 1 at the steps without elements.
absl::StatusOr<HeldVector> Absent(Labels labels, const HeldVector& vector);
// The labels of the result of absent and absent_over_time: those that the argument, if it is a
// selector, requires to be equal to a value.
Labels AbsentLabels(const Expression& argument);

// label_replace, label_join: `change` makes new labels of the labels of each series.
absl::Status ChangeLabels(absl::FunctionRef<Labels(const Labels&)> change, HeldVector* vector);

// The expression without the parentheses around it.
const Expression& WithoutParentheses(const Expression& expression);

}  // namespace hourcell::promql
