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
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <simdjson.h>

#include "server/query/query_request.h"

namespace hourcell {

// kInvalidArgument: "Missing message content", more than kQueryBodyBytesMax, "Unable to parse the
// given JSON: ...", a field of another type, OpenTSDB's texts for the parts, as
// CompleteQueryRequest. `arrays` is a parameter of the URL, not of the body. `default_timezone`
// is that of a body without timezone; empty = UTC.
absl::StatusOr<QueryRequest> ParseQueryJson(const std::string& body,
                                            int64_t now_ms,
                                            std::string_view default_timezone = {});

// The value of a field with a time: a text, or a number of seconds or milliseconds by its count of
// digits; null is "". kInvalidArgument: another type.
absl::StatusOr<std::string> JsonTime(std::string_view field, simdjson::dom::element value);

// Appends the filters of a list as "filters" above; null is empty. kInvalidArgument: another type,
// a filter without a key or a text, an unknown type.
absl::Status AppendJsonFilters(simdjson::dom::element value, std::vector<TagFilterSpec>* filters);

}  // namespace hourcell
