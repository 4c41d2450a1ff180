// The check of a matcher's regular expression.
//
// Prometheus compiles with Go's package regexp and this program with RE2. The syntax is the same
// but for \C, a byte, which is refused. Pure functions; thread-safe.

#pragma once

#include <absl/status/status.h>

#include "promql/text/expression.h"

namespace hourcell::promql {

// kInvalidArgument: the regular expression is wrong, with the text of Go:
// "error parsing regexp: missing closing ): `^(?:(a)$`".
absl::Status CheckMatcher(const LabelMatcher& matcher);

// True if a series without the label matches. REQUIRES: CheckMatcher is OK.
bool MatchesEmptyValue(const LabelMatcher& matcher);

}  // namespace hourcell::promql
