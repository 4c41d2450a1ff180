// The JSON of /api/search/lookup: the body of a POST, and what an answer begins with.
//
//   {"metric":"m","tags":[{"key":"host","value":"*"}],"limit":25,"startIndex":0}
//
// Unknown fields are ignored; of a field given twice the last counts. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/base/json_writer.h"
#include "engine/query.h"

namespace hourcell {

// How many series are listed unless told otherwise.
inline constexpr uint64_t kLookupLimitDefault = 25;

// The count of a parameter or field: 0 or more; anything larger than 64 bits is as good as the
// largest. kInvalidArgument "Unable to convert '<name>' to a valid number".
absl::StatusOr<uint64_t> ParseLookupCount(std::string_view name, std::string_view text);

// kInvalidArgument: as ParseJsonObject; a field of another type; as ParseLookupCount; "Missing
// metric and tags. Please supply at least one value."
absl::StatusOr<LookupQuery> ParseLookupJson(const std::string& body);

// "Missing metric and tags...", if so.
absl::Status CheckLookup(const LookupQuery& query);

// Adds the query's own fields to an object: "metric":"m","tags":[...],"limit":25. What may be
// anything is "*".
void AddLookupQuery(const LookupQuery& query, JsonWriter* json);

// Appends a series: {"tsuid":"000001...","metric":"m","tags":{"host":"a"}}
void AppendFoundSeries(const FoundSeries& series, std::string* out);

}  // namespace hourcell
