// QueryResult as the JSON of /api/query.
//
//   [{"metric":"m","tags":{"host":"a"},"aggregateTags":["dc"],"query":{...},"tsuids":["000001..."],
//     "dps":{"1356998400":1,"1356998430":2.5}}, ..., {"statsSummary":{...}}]
//
// Integers are printed as such, floating point as Java does, NaN as the string "NaN" (null with the
// fill policy null). In seconds, of the points of one second only the last is printed: JSON readers
// would keep that one. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>

#include <absl/status/status.h>

#include "engine/query/query_result.h"
#include "engine/query/query_spec.h"
#include "server/query_request.h"

namespace hourcell {

// Appends the response to `*out`. `elapsed_ms` is what the query took, for show_summary.
// kInvalidArgument "Got Infinity: ..." for a value that JSON has no word for.
absl::Status AppendQueryResult(const QuerySpec& spec,
                               const QueryResult& result,
                               const QueryPrinting& printing,
                               int64_t elapsed_ms,
                               std::string* out);

// The specifier a DownsampleSpec can be parsed from: "1m-avg-nan", "0all-sum", "1dc-sum". It does
// not tell the timezone.
std::string DownsampleText(const DownsampleSpec& spec);

}  // namespace hourcell
