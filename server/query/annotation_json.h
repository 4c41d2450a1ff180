// Annotations in JSON: what requests say of them, and how answers print them.
//
//   {"tsuid":"000001000001000001","startTime":1388450562,"endTime":0,"description":"Hello!",
//    "notes":"","custom":{"owner":"ops"}}
//
// Unknown fields are ignored; of a field given twice the last counts. Numbers may be text. As in
// OpenTSDB a field that has its default, 0 or "", sets nothing: a merge cannot empty it, a
// replacement can; "custom" sets whatever is not null.
//
// Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query.h"

namespace hourcell {

// The longest body that writes annotations.
inline constexpr size_t kAnnotationBodyBytesMax = size_t{8} << 20;

// One annotation; start_time is 0 if the body has none.
// kInvalidArgument: "Missing message content", more than kAnnotationBodyBytesMax, "Unable to parse
// the given JSON: ...", with the field that has another type.
absl::StatusOr<AnnotationEdit> ParseAnnotationJson(const std::string& body);

// An array of them. Errors as ParseAnnotationJson.
absl::StatusOr<std::vector<AnnotationEdit>> ParseAnnotationsJson(const std::string& body);

// What a bulk delete removes; times as ParseQueryTime takes them, empty = absent.
struct AnnotationRange {
  std::string start;
  std::string end;
  std::vector<std::string> tsuids;  // as they were given
  bool global = false;
  friend bool operator==(const AnnotationRange&, const AnnotationRange&) = default;
};

// {"startTime", "endTime", "tsuids": [hex], "global": bool}. Errors as ParseAnnotationJson.
absl::StatusOr<AnnotationRange> ParseAnnotationRangeJson(const std::string& body);

// Appends the object above, all fields; without a tsuid, or without entries, null.
void AppendAnnotation(const Annotation& annotation, std::string* out);

}  // namespace hourcell
