// /api/search/<type>: finds series by their metric and tags (lookup), and UIDs, series and
// annotations by their texts (meta_search.h). Thread-safe.

#pragma once

#include <string_view>

#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// Parses the parameters m, limit and start_index (or startIndex). kInvalidArgument: "Missing
// parameter <code>m</code>", as ParseSeriesText, ParseLookupCount and CheckLookup.
absl::StatusOr<LookupQuery> ParseLookupParams(const HttpRequest& request);

// Answers GET and POST (search_json.h); the response has a producer, which borrows both. limit 0
// lists all series. Unlike OpenTSDB, it does not need meta tables, and totalResults counts all
// matching series.
HttpResponse HandleSearch(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
