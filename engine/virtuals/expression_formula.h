// The formula of a virtual metric's expression. Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/expressions/formula.h"
#include "engine/query/metric_expression.h"

namespace hourcell {

// The formula, whose variables are inputs. kInvalidArgument: it does not parse, or does not use
// each input and nothing else.
absl::StatusOr<Formula> CompileFormula(const MetricExpression& expression);

// The input of a variable of CompileFormula's result.
inline size_t InputOfVariable(std::string_view variable) {
  return static_cast<size_t>(variable[0] - 'a');
}

}  // namespace hourcell
