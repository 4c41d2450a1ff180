// /api/query/last: the last point of each selected series. Thread-safe.

#pragma once

#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// Parses the parameters timeseries, tsuids, resolve and back_scan. timeseries and tsuids may be
// repeated; timeseries come first. kInvalidArgument: "Missing sub queries", more than
// kSubQueriesMax sub queries, "Unable to parse back_scan parameter", as ParseSeriesText and
// ParseQueryTsuid.
absl::StatusOr<LastQuery> ParseLastParams(const HttpRequest& request);

// Answers GET and POST (last_json.h); the response has a producer, which borrows both. Unlike
// OpenTSDB, it reads the stored points: the answer has every series with a point, ascending by
// tsuid, however old the point; back_scan is checked and then ignored.
HttpResponse HandleLast(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
