#include "engine/virtuals/expression_formula.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "codec/base/status_macros.h"

namespace hourcell {

absl::StatusOr<Formula> CompileFormula(const MetricExpression& expression) {
  HOURCELL_ASSIGN_OR_RETURN(Formula formula, Formula::Parse(expression.formula));
  const size_t inputs = expression.inputs.size();
  const bool are_inputs =
      std::ranges::all_of(formula.variables(), [inputs](const std::string& variable) {
        return variable.size() == 1 && variable[0] >= 'a' && InputOfVariable(variable) < inputs;
      });
  if (are_inputs && formula.variables().size() == inputs) return formula;
  return absl::InvalidArgumentError(fmt::format(
      "expression: expected a formula of its {} sub queries, each used, and of no other variable",
      inputs));
}

}  // namespace hourcell
