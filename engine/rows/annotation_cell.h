// The stored form of an annotation: OpenTSDB's JSON, the value under its key (annotation_key.h).
//
//   {"tsuid":"000001000001000001","startTime":1388450562,"endTime":0,"description":"Hello!",
//    "notes":"","custom":{"owner":"ops"}}
//
// in one line; without tsuid if it is global; custom is null without entries. Reading accepts any
// order of fields, blanks between them, and unknown fields with scalar values, which OpenTSDB
// ignores, too.
//
// Pure; bounded on any bytes; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/query/annotation.h"

namespace hourcell {

// REQUIRES: all texts are UTF-8.
void AppendAnnotationCell(const Annotation& annotation, std::string* out);

// kDataLoss, with the offset: invalid JSON, a field of another type, text that is not UTF-8.
absl::StatusOr<Annotation> ParseAnnotationCell(std::string_view bytes);

}  // namespace hourcell
