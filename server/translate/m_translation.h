// Translates PromQL to the language of m=.
//
//   sum by (host) (avg_over_time(cpu{host!=""}[59s999ms] offset -59s999ms))
//   zimsum:1m-avg:cpu{host=*}
//
// Only selectors, a function of a range, and one aggregation around them have a query of m=; other
// expressions are refused. Pure functions; thread-safe.

#pragma once

#include <string_view>

#include <absl/status/statusor.h>

#include "promql/text/expression.h"
#include "server/translate/translation.h"

namespace hourcell {

// kInvalidArgument: the expression does not parse. kUnimplemented: m= cannot say it, with the
// reason.
absl::StatusOr<Translation> TranslateToM(std::string_view expression);
absl::StatusOr<Translation> TranslateToM(const promql::Expression& expression);

}  // namespace hourcell
