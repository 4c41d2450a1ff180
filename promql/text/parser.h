// The parser of PromQL, the language of Prometheus 2.42: precedence climbing, with types checked.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "promql/text/expression.h"

namespace hourcell::promql {

// kInvalidArgument, with the text and the position that Prometheus prints:
// "1:5: parse error: unexpected end of input". Also for a text that is longer than kQueryBytes,
// nested deeper than kQueryDepth, or in the language of a later version of Prometheus.
absl::StatusOr<ExpressionPtr> ParseQuery(std::string_view text);

// A selector of series, as `match[]=` has it: m{a="b"}, without offset and @. It may match series
// without any label (MatchesEmptyValue in matcher.h), and set the metric twice.
absl::StatusOr<std::vector<LabelMatcher>> ParseSelector(std::string_view text);

// "1h30m" -> milliseconds. kInvalidArgument: "not a valid duration string: \"x\"".
absl::StatusOr<int64_t> ParseDuration(std::string_view text);

// The text of an expression in one line, as Prometheus prints it. Parses to an equal expression.
std::string ExpressionText(const Expression& expression);

}  // namespace hourcell::promql
