// /api/query/last: the last point of each of the series asked for. Thread-safe.

#pragma once

#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// The query of the parameters timeseries, tsuids, resolve and back_scan. Both kinds of series may
// be repeated; timeseries come first. kInvalidArgument: "Missing sub queries", more than
// kSubQueriesMax of them, "Unable to parse back_scan parameter", as ParseSeriesText and
// ParseQueryTsuid.
absl::StatusOr<LastQuery> ParseLastParams(const HttpRequest& request);

// Answers GET and POST (last_json.h); the response has a producer, which borrows both. Differently
// from OpenTSDB, the stored points themselves are looked at: every series that has a point is in
// the answer, ascending by tsuid, however old the point; back_scan is checked and then of no
// meaning.
HttpResponse HandleLast(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
