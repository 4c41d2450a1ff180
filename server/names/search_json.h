// The JSON of /api/search/lookup: the body of a POST, and the parts of an answer.
//
//   {"metric":"m","tags":[{"key":"host","value":"*"}],"limit":25,"startIndex":0}
//
// Unknown fields are ignored; the last of repeated fields counts. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/base/json_writer.h"
#include "engine/query.h"

namespace hourcell {

// The default limit of listed series.
inline constexpr uint64_t kLookupLimitDefault = 25;

// Parses the count of a parameter or field: 0 or more; a count above 64 bits becomes the largest.
// kInvalidArgument "Unable to convert '<name>' to a valid number".
absl::StatusOr<uint64_t> ParseLookupCount(std::string_view name, std::string_view text);

// kInvalidArgument: as ParseJsonObject; a field of another type; as ParseLookupCount; "Missing
// metric and tags. Please supply at least one value."
absl::StatusOr<LookupQuery> ParseLookupJson(const std::string& body);

// kInvalidArgument "Missing metric and tags..." for an empty query.
absl::Status CheckLookup(const LookupQuery& query);

// Adds the fields of the query to an object: "metric":"m","tags":[...],"limit":25, with "*" for an
// empty metric, key or value.
void AddLookupQuery(const LookupQuery& query, JsonWriter* json);

// Appends a series: {"tsuid":"000001...","metric":"m","tags":{"host":"a"}}
void AppendFoundSeries(const FoundSeries& series, std::string* out);

}  // namespace hourcell
