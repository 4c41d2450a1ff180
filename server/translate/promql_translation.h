// Translates the language of m= to PromQL.
//
//   sum:1m-avg-nan:cpu{host=*}
//   sum by (host) (avg_over_time(cpu{host!=""}[59s999ms] offset -59s999ms))
//
// The bucket of m= at t has the points of t <= time < t + 1m. A range of PromQL 2.42 includes both
// of its ends, so the range ends 1 ms before the next bucket, and is 1 ms shorter than a bucket.
//
// Where PromQL has no word for a part of a query, the translation is refused. Pure functions;
// thread-safe.

#pragma once

#include <string_view>

#include <absl/status/statusor.h>

#include "engine/query/query_spec.h"
#include "server/translate/translation.h"

namespace hourcell {

// `m` is the value of a parameter m. kInvalidArgument: it does not parse. kUnimplemented: PromQL
// cannot say it, with the reason.
absl::StatusOr<Translation> TranslateToPromql(std::string_view m);
absl::StatusOr<Translation> TranslateToPromql(const SubQuery& query);

}  // namespace hourcell
