#include "promql/evaluation/binary.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "promql/evaluation/series_groups.h"
#include "promql/values/arithmetic.h"

namespace hourcell::promql {
namespace {

double ResultOf(BinaryOperator op, double left, double right) {
  if (!IsComparison(op)) return Calculate(op, left, right);
  return Compare(op, left, right) ? 1.0 : 0.0;
}

// Calls `calculate(element, scalar)` for each element of the column.
template <typename Calculation>
void ReplaceElements(std::span<double> column,
                     std::span<const double> scalar,
                     const Calculation& calculate) {
  for (size_t i = 0; i < column.size(); ++i)
    if (!IsNoValue(column[i])) column[i] = calculate(column[i], scalar[i]);
}

// One element and one scalar: their result, or none.
struct ElementOperation {
  BinaryOperator op;
  ScalarSide scalar_side;
  bool return_bool;

  double operator()(double element, double scalar) const {
    const bool is_swapped = scalar_side == ScalarSide::kLeft;
    const double left = is_swapped ? scalar : element;
    const double right = is_swapped ? element : scalar;
    if (!IsComparison(op)) return Calculate(op, left, right);
    const bool holds = Compare(op, left, right);
    if (return_bool) return holds ? 1.0 : 0.0;
    return holds ? element : kNoValue;
  }
};

// At which steps a group of series has an element.
using Presence = std::vector<bool>;

void AddPresence(std::span<const double> column, Presence* presence) {
  presence->resize(column.size());
  for (size_t i = 0; i < column.size(); ++i)
    if (!IsNoValue(column[i])) (*presence)[i] = true;
}

// The presence of each group of the series of `vector`. Insert into `groups` numbers them.
absl::StatusOr<std::vector<Presence>> PresenceByGroup(const HeldVector& vector,
                                                      SeriesGroups* groups) {
  std::vector<Presence> presence;
  for (const SeriesColumn& series : vector.series()) {
    HOURCELL_RETURN_IF_ERROR(vector.budget()->Work(vector.steps()));
    const size_t group = groups->Insert(series.labels);
    if (group >= presence.size()) presence.resize(group + 1);
    AddPresence(series.values, &presence[group]);
  }
  return presence;
}

// Keeps an element if `other` has an element of the same group at the step (keeps_present), or if
// it has not.
absl::Status Filter(const HeldVector& other,
                    const VectorMatching& matching,
                    bool keeps_present,
                    HeldVector* vector) {
  const GroupingRule rule{.only_names = matching.on, .names = matching.labels};
  SeriesGroups groups(&rule);
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Presence> presence, PresenceByGroup(other, &groups));
  for (SeriesColumn& series : vector->series()) {
    HOURCELL_RETURN_IF_ERROR(vector->budget()->Work(vector->steps()));
    const size_t group = groups.Insert(series.labels);
    const bool has_group = group < presence.size();
    if (!has_group && !keeps_present) continue;
    for (size_t i = 0; i < series.values.size(); ++i) {
      const bool is_present = has_group && presence[group][i];
      if (is_present != keeps_present) series.values[i] = kNoValue;
    }
  }
  vector->RemoveEmpty();
  return absl::OkStatus();
}

}  // namespace

bool DropsMetricName(BinaryOperator op, bool return_bool) {
  // Prometheus 2.42 keeps the name of the left side of atan2, unlike that of other arithmetic.
  return return_bool || !(IsComparison(op) || IsSetOperator(op) || op == BinaryOperator::kAtan2);
}

absl::StatusOr<HeldVector> CombineScalars(BinaryOperator op, HeldVector left, HeldVector right) {
  HOURCELL_DCHECK(left.steps() == right.steps());
  HOURCELL_RETURN_IF_ERROR(left.budget()->Work(left.steps()));
  ReplaceElements(left.series().front().values, right.scalar(),
                  [&](double a, double b) { return ResultOf(op, a, b); });
  return left;
}

absl::StatusOr<HeldVector> CombineWithScalar(BinaryOperator op,
                                             HeldVector vector,
                                             HeldVector scalar,
                                             ScalarSide scalar_side,
                                             bool return_bool) {
  HOURCELL_DCHECK(vector.steps() == scalar.steps());
  const ElementOperation operation{
      .op = op, .scalar_side = scalar_side, .return_bool = return_bool};
  for (SeriesColumn& series : vector.series()) {
    HOURCELL_RETURN_IF_ERROR(vector.budget()->Work(vector.steps()));
    ReplaceElements(series.values, scalar.scalar(), operation);
  }
  if (IsComparison(op) && !return_bool) vector.RemoveEmpty();
  if (DropsMetricName(op, return_bool)) HOURCELL_RETURN_IF_ERROR(DropMetricNames(&vector));
  return vector;
}

absl::StatusOr<HeldVector> CombineSets(BinaryOperator op,
                                       const VectorMatching& matching,
                                       HeldVector left,
                                       HeldVector right) {
  HOURCELL_DCHECK(IsSetOperator(op));
  if (op != BinaryOperator::kOr) {
    HOURCELL_RETURN_IF_ERROR(Filter(right, matching, op == BinaryOperator::kAnd, &left));
    return left;
  }
  HOURCELL_RETURN_IF_ERROR(Filter(left, matching, /*keeps_present=*/false, &right));
  left.Append(std::move(right));
  HOURCELL_RETURN_IF_ERROR(ResolveEqualLabels(&left, EqualLabels::kMerge));
  return left;
}

}  // namespace hourcell::promql
