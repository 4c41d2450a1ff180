// The query string of /api/query as a QueryRequest.
//
// docs/query-language.md has the grammar of m= and tsuid=, and tests/data/query_language.json its
// vectors, which the page's parser reads, too. Pure functions; thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query/query_spec.h"
#include "server/http/http_message.h"
#include "server/query/query_request.h"

namespace hourcell {

// Parses the value of a parameter m. kInvalidArgument with OpenTSDB's texts.
absl::StatusOr<SubQuery> ParseSubQueryText(std::string_view m);

// Parses the selection of a deletion: the value of a parameter m, or filters alone, {...}{...}, to
// select the series of all metrics. kInvalidArgument: as ParseSubQueryText; no filter.
absl::StatusOr<SubQuery> ParseDeletionText(std::string_view m);

// Parses the value of a parameter tsuid (or tsuids). kInvalidArgument: as ParseSubQueryText; a
// tsuid is missing or not hex.
absl::StatusOr<SubQuery> ParseTsuidQueryText(std::string_view tsuid);

// Parses the parameters start, end, m, tsuid, ms, arrays, show_*, no_annotations,
// global_annotations, timezone or tz, use_calendar, explain. A flag counts as set with any value.
// Sub queries by tsuid come first. A DELETE may have an m as ParseDeletionText takes it. `now_ms`
// is the present; `default_timezone` is that of requests without timezone; empty = UTC. Errors: as
// ParseSubQueryText, ParseDeletionText and CompleteQueryRequest; kInvalidArgument
// "Missing parameter <code>start</code>", "Missing sub queries".
absl::StatusOr<QueryRequest> ParseQueryString(const HttpRequest& request,
                                              int64_t now_ms,
                                              std::string_view default_timezone = {});

// The two parts of ParseQueryString that do not depend on the language of its sub queries.
// kInvalidArgument "Missing parameter <code>start</code>".
absl::Status CheckHasStart(const HttpRequest& request);
// Completes `*parsed`, which has its sub queries and expressions, by the other parameters. Errors:
// as CompleteQueryRequest.
absl::Status ReadQueryOptions(const HttpRequest& request,
                              int64_t now_ms,
                              std::string_view default_timezone,
                              QueryRequest* parsed);

}  // namespace hourcell
