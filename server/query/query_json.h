// The JSON body of POST /api/query as a QueryRequest.
//
//   {"start": ..., "end": ..., "timezone": ..., "useCalendar": bool, "msResolution": bool, ...,
//    "queries": [{"aggregator", "metric" or "tsuids": [hex], "downsample", "rate",
//                 "rateOptions": {...}, "tags": {tagk: filter},
//                 "filters": [{"type", "tagk", "filter", "groupBy"}], "explicitTags",
//                 "percentiles": [number], "showHistogramBuckets",
//                 "functions": ["top(10,max)"]}],
//    "explain": bool}
//
// Unknown fields are ignored; the last of repeated fields counts. Unlike in OpenTSDB, tags and
// filters both apply. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "server/query/query_request.h"

namespace hourcell {

// kInvalidArgument: "Missing message content", more than kQueryBodyBytesMax, "Unable to parse the
// given JSON: ...", a field of another type, OpenTSDB's texts for the parts, as
// CompleteQueryRequest. `arrays` is a parameter of the URL, not of the body. `default_timezone`
// is that of a body without timezone; empty = UTC.
absl::StatusOr<QueryRequest> ParseQueryJson(const std::string& body,
                                            int64_t now_ms,
                                            std::string_view default_timezone = {});

}  // namespace hourcell
