// The query string of /api/query as a QueryRequest.
//
//   m        := aggregator ":" { option ":" } metric [ "{" group "}" [ "{" only-filter "}" ] ]
//   option   := "rate" [ "{" counter [ "," max [ "," reset ] ] "}" ] | downsample |
//               "explicit_tags" | ...
//   group    := tagk "=" filter { "," tagk "=" filter }
//
// Unknown options are ignored, as in OpenTSDB. Beyond it, ':' inside braces and ',' inside
// parentheses do not separate. Pure functions; thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/query/query_spec.h"
#include "server/http_message.h"
#include "server/query_request.h"

namespace hourcell {

// Parses the value of a parameter m.
// kInvalidArgument with OpenTSDB's texts; kUnimplemented for what needs histograms or calendars.
absl::StatusOr<SubQuery> ParseSubQueryText(std::string_view m);

// Parses the parameters start, end, m, ms, arrays, show_*, timezone or tz, use_calendar.
// `now_ms` is the present. Errors: as ParseSubQueryText and CompleteQueryRequest;
// kInvalidArgument "Missing parameter <code>start</code>", "Missing sub queries".
absl::StatusOr<QueryRequest> ParseQueryString(const HttpRequest& request, int64_t now_ms);

}  // namespace hourcell
