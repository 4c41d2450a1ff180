// /api/search/<type>: which series there are (lookup). The other types of OpenTSDB need a plug-in
// and are refused as OpenTSDB without one refuses them. Thread-safe.

#pragma once

#include <string_view>

#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// The query of the parameters m, limit and start_index (or startIndex). kInvalidArgument: "Missing
// parameter <code>m</code>", as ParseSeriesText, ParseLookupCount and CheckLookup.
absl::StatusOr<LookupQuery> ParseLookupParams(const HttpRequest& request);

// Answers GET and POST (search_json.h); the response has a producer, which borrows both. limit 0
// lists all there are. Differently from OpenTSDB the answer needs no meta tables, and totalResults
// counts all that match.
HttpResponse HandleSearch(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
