#include "promql/evaluation/invariants.h"

namespace hourcell::promql {
namespace {

// The value depends on the time of the step, and not only on the arguments.
bool DependsOnStep(Function function, bool has_arguments) {
  switch (function) {
    case Function::kTime:
    case Function::kTimestamp:
    case Function::kPredictLinear:
      return true;
    case Function::kDaysInMonth:
    case Function::kDayOfMonth:
    case Function::kDayOfWeek:
    case Function::kDayOfYear:
    case Function::kHour:
    case Function::kMinute:
    case Function::kMonth:
    case Function::kYear:
      return !has_arguments;
    default:
      return false;
  }
}

}  // namespace

bool InvariantParts::Visit(const Expression& part) {
  const bool is_invariant = VisitChildren(part);
  if (is_invariant) parts_.insert(&part);
  return is_invariant;
}

bool InvariantParts::VisitCall(const Call& call) {
  bool is_invariant = !DependsOnStep(call.function, !call.arguments.empty());
  // No short circuit: parts of an argument may be invariant where the call is not.
  for (const ExpressionPtr& argument : call.arguments)
    is_invariant &= Visit(*argument);
  return is_invariant;
}

bool InvariantParts::VisitChildren(const Expression& part) {
  if (const auto* selector = std::get_if<VectorSelector>(&part.node))
    return selector->shift.at != TimeShift::At::kNone;
  if (const auto* matrix = std::get_if<MatrixSelector>(&part.node)) return Visit(*matrix->selector);
  if (const auto* subquery = std::get_if<Subquery>(&part.node)) {
    // The steps of the inner expression are those of the subquery.
    Visit(*subquery->inner);
    return subquery->shift.at != TimeShift::At::kNone;
  }
  if (const auto* call = std::get_if<Call>(&part.node)) return VisitCall(*call);
  if (const auto* aggregation = std::get_if<Aggregation>(&part.node)) {
    const bool has_fixed_parameter =
        aggregation->parameter == nullptr || Visit(*aggregation->parameter);
    return Visit(*aggregation->inner) && has_fixed_parameter;
  }
  if (const auto* binary = std::get_if<Binary>(&part.node)) {
    const bool is_left_invariant = Visit(*binary->left);
    return Visit(*binary->right) && is_left_invariant;
  }
  if (const auto* unary = std::get_if<Unary>(&part.node)) return Visit(*unary->inner);
  if (const auto* parentheses = std::get_if<Parentheses>(&part.node))
    return Visit(*parentheses->inner);
  return true;  // a literal
}

}  // namespace hourcell::promql
