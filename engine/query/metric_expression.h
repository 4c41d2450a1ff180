// MetricExpression: the expression of a virtual metric, with names as text:
//
//   sum:cpu.user{host=*} + sum:cpu.system{host=*}
//
//   formula   a + b
//   inputs    sum:cpu.user{host=*}, sum:cpu.system{host=*}
//
// docs/decisions/0041-virtual-metrics.md describes them. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "engine/query/query_spec.h"

namespace hourcell {

// The maximum number of inputs.
inline constexpr size_t kExpressionInputsMax = 16;
// Bytes of a formula, and of the text of a filter.
inline constexpr size_t kExpressionFormulaBytesMax = 16 * 1024;

struct MetricExpression {
  std::string formula;           // over ExpressionVariable(0), (1), ...
  std::vector<SubQuery> inputs;  // 1 to kExpressionInputsMax
  // The value of a missing series or point; nullopt: the result is missing, too.
  std::optional<double> missing = {};
  friend bool operator==(const MetricExpression&, const MetricExpression&) = default;
};

// The variable of an input in a formula: "a", "b", ...
inline std::string ExpressionVariable(size_t input) {
  return std::string(1, static_cast<char>('a' + input));
}

// The keys that an input groups by, ascending, each once. Empty with the aggregator none.
std::vector<std::string> GroupingKeys(const SubQuery& input);

// kInvalidArgument: an input has a part that depends on the query around it; inputs lack grouping
// keys, or have different ones; too many inputs; `missing` is not finite.
absl::Status CheckMetricExpression(const MetricExpression& expression);

}  // namespace hourcell
