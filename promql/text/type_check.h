// The rules of PromQL beyond its grammar: types of operands and arguments, and what selectors and
// binary operators may have.
//
// Pure; thread-safe.

#pragma once

#include <string_view>

#include <absl/status/status.h>

#include "promql/text/expression.h"

namespace hourcell::promql {

// Checks an expression that was parsed from `text`; its nodes have their types. Removes the
// matching of binary operators unless both sides are vectors, and makes that of set operators
// many-to-many.
// kInvalidArgument: the first error in Prometheus' order (QueryError).
absl::Status CheckTypes(std::string_view text, Expression* expression);

}  // namespace hourcell::promql
