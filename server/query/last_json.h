// The JSON of /api/query/last: the body of a POST, and a point of the answer.
//
//   {"queries":[{"metric":"m","tags":{"host":"a"}},{"tsuids":["000001..."]}],
//    "resolveNames":true,"backScan":24}
//
//   {"metric":"m","timestamp":1356998400000,"value":"42","tags":{"host":"a"},"tsuid":"000001..."}
//
// Unknown fields are ignored; the last of repeated fields counts. Pure; thread-safe.

#pragma once

#include <span>
#include <string>

#include <absl/status/statusor.h>

#include "codec/point.h"
#include "engine/query.h"

namespace hourcell {

// kInvalidArgument: as ParseJsonObject; a field of another type; "Missing sub queries"; more than
// kSubQueriesMax sub queries; a sub query without metric and tsuids; a malformed tsuid; "Unable to
// parse back_scan parameter" for less than 0 or more than 32 bits.
absl::StatusOr<LastQuery> ParseLastJson(const std::string& body);

// Appends a point; `resolved`: with metric and tags. Values are strings: integers as integers,
// floating point as Java prints it.
void AppendLastPoint(const LastPoint& point, bool resolved, std::string* out);

// Appends tags as an object: {"host":"a","dc":"x"}.
void AppendTagObject(std::span<const TagView> tags, std::string* out);

}  // namespace hourcell
