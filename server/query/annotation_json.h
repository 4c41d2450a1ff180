// The JSON of annotations in requests and responses:
//
//   {"tsuid":"000001000001000001","startTime":1388450562,"endTime":0,"description":"Hello!",
//    "notes":"","custom":{"owner":"ops"}}
//
// Unknown fields are ignored; the last of repeated fields counts. Numbers may be text. As in
// OpenTSDB, a field with its default, 0 or "", is not set: a merge cannot empty the stored field, a
// replacement can. "custom" is set unless it is null.
//
// Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query.h"

namespace hourcell {

// The size limit of a body that writes annotations.
inline constexpr size_t kAnnotationBodyBytesMax = size_t{8} << 20;

// Parses one annotation; start_time is 0 if the body omits it.
// kInvalidArgument: "Missing message content", more than kAnnotationBodyBytesMax, "Unable to parse
// the given JSON: ...", with the field of a wrong type.
absl::StatusOr<AnnotationEdit> ParseAnnotationJson(const std::string& body);

// Parses an array of annotations. Errors: as ParseAnnotationJson.
absl::StatusOr<std::vector<AnnotationEdit>> ParseAnnotationsJson(const std::string& body);

// The selection of a bulk delete; times in the syntax of ParseQueryTime, empty = absent.
struct AnnotationRange {
  std::string start;
  std::string end;
  std::vector<std::string> tsuids;  // unparsed
  bool global = false;
  friend bool operator==(const AnnotationRange&, const AnnotationRange&) = default;
};

// Parses {"startTime", "endTime", "tsuids": [hex], "global": bool}. Errors: as ParseAnnotationJson.
absl::StatusOr<AnnotationRange> ParseAnnotationRangeJson(const std::string& body);

// Appends the object above with all fields; a missing tsuid and an empty "custom" are null.
void AppendAnnotation(const Annotation& annotation, std::string* out);

}  // namespace hourcell
