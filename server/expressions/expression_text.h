// The text of the expression of a virtual metric:
//
//   expression = arithmetic (engine/expressions/formula.h) whose variables are sub queries
//
//   sum:cpu.user{host=*} + sum:cpu.system{host=*}
//   100 * sum:rate:1m-avg:errors{host=*,dc=*} / sum:rate:1m-avg:requests{host=*,dc=*}
//
// A sub query is the whole language of m= (docs/query-language.md). It begins with the name of an
// aggregator and ':'. It ends with its last '}', after which neither '{' nor ':' follows; else
// before a blank or a ')' outside its quotes, braces and parentheses.
//
// Pure functions; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/query/metric_expression.h"

namespace hourcell {

// kInvalidArgument, with the position: a sub query or the formula does not parse, a word is neither
// a sub query nor an operator; CheckMetricExpression; too long.
absl::StatusOr<MetricExpression> ParseMetricExpression(std::string_view text,
                                                       std::optional<double> missing);

// A text that ParseMetricExpression parses to `expression`, if CheckMetricExpression accepts it.
std::string MetricExpressionText(const MetricExpression& expression);

}  // namespace hourcell
