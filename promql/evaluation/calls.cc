#include "promql/evaluation/calls.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "promql/values/value_functions.h"

namespace hourcell::promql {
namespace {

double SecondsOf(int64_t ms) {
  return static_cast<double>(ms) / 1000;
}

const std::vector<LabelMatcher>* MatchersOf(const Expression& argument) {
  const Expression* inner = &WithoutParentheses(argument);
  if (const auto* matrix = std::get_if<MatrixSelector>(&inner->node)) inner = &*matrix->selector;
  const auto* selector = std::get_if<VectorSelector>(&inner->node);
  return selector == nullptr ? nullptr : &selector->matchers;
}

}  // namespace

absl::StatusOr<HeldVector> CallOfValues(Function function,
                                        std::span<const std::span<const double>> parameters,
                                        HeldVector vector) {
  HOURCELL_DCHECK(IsValueFunction(function));
  for (SeriesColumn& series : vector.series()) {
    HOURCELL_RETURN_IF_ERROR(vector.budget()->Work(vector.steps()));
    ApplyValueFunction(function, parameters, series.values);
  }
  vector.RemoveEmpty();  // clamp with min > max gives kNoValue
  HOURCELL_RETURN_IF_ERROR(DropMetricNames(&vector));
  return vector;
}

absl::StatusOr<HeldVector> TimeScalar(const Steps& steps, Budget* budget) {
  HeldVector scalar(budget, steps.count);
  HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column, scalar.Add(Labels()));
  for (size_t i = 0; i < column.size(); ++i)
    column[i] = SecondsOf(steps.at(i));
  return scalar;
}

absl::StatusOr<HeldVector> Timestamps(const Steps& steps, HeldVector vector) {
  HOURCELL_DCHECK(steps.count == vector.steps());
  for (SeriesColumn& series : vector.series()) {
    HOURCELL_RETURN_IF_ERROR(vector.budget()->Work(vector.steps()));
    for (size_t i = 0; i < series.values.size(); ++i)
      if (!IsNoValue(series.values[i])) series.values[i] = SecondsOf(steps.at(i));
  }
  HOURCELL_RETURN_IF_ERROR(DropMetricNames(&vector));
  return vector;
}

absl::StatusOr<HeldVector> ScalarOfVector(const HeldVector& vector) {
  HeldVector scalar(vector.budget(), vector.steps());
  HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column, scalar.Add(Labels()));
  std::vector<bool> has_several(vector.steps());
  for (const SeriesColumn& series : vector.series()) {
    HOURCELL_RETURN_IF_ERROR(vector.budget()->Work(vector.steps()));
    for (size_t i = 0; i < column.size(); ++i) {
      if (IsNoValue(series.values[i])) continue;
      if (!IsNoValue(column[i])) has_several[i] = true;
      column[i] = series.values[i];
    }
  }
  for (size_t i = 0; i < column.size(); ++i) {
    if (has_several[i] || IsNoValue(column[i]))
      column[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return scalar;
}

absl::StatusOr<HeldVector> Absent(Labels labels, const HeldVector& vector) {
  HeldVector absent(vector.budget(), vector.steps());
  HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column, absent.Add(std::move(labels)));
  std::ranges::fill(column, 1.0);
  for (const SeriesColumn& series : vector.series()) {
    HOURCELL_RETURN_IF_ERROR(vector.budget()->Work(vector.steps()));
    for (size_t i = 0; i < column.size(); ++i)
      if (!IsNoValue(series.values[i])) column[i] = kNoValue;
  }
  absent.RemoveEmpty();
  return absent;
}

Labels AbsentLabels(const Expression& argument) {
  Labels labels;
  const std::vector<LabelMatcher>* const matchers = MatchersOf(argument);
  if (matchers == nullptr) return labels;
  // Leaves out a label of two matchers, unless the first matcher is not an equality.
  absl::flat_hash_set<std::string> names_with_value;
  for (const LabelMatcher& matcher : *matchers) {
    if (matcher.name == kMetricName) continue;
    const bool gives_value =
        matcher.op == MatchOperator::kEqual && names_with_value.insert(matcher.name).second;
    labels.Set(matcher.name, gives_value ? std::string_view(matcher.value) : std::string_view());
  }
  return labels;
}

absl::Status ChangeLabels(absl::FunctionRef<Labels(const Labels&)> change, HeldVector* vector) {
  for (size_t i = 0; i < vector->series().size(); ++i) {
    HOURCELL_RETURN_IF_ERROR(vector->budget()->Work(1));
    HOURCELL_RETURN_IF_ERROR(vector->SetLabels(i, change(vector->series()[i].labels)));
  }
  return ResolveEqualLabels(vector, EqualLabels::kMerge);
}

const Expression& WithoutParentheses(const Expression& expression) {
  const Expression* inner = &expression;
  while (const auto* parentheses = std::get_if<Parentheses>(&inner->node))
    inner = parentheses->inner.get();
  return *inner;
}

}  // namespace hourcell::promql
