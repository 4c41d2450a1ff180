// Keys of the annotation table: the row key of the points of the series and hour, or of global
// annotations, followed by the object qualifier that OpenTSDB would use in the row.
//
//   00000152c20900 000001000001 010a02     of a series, 2,562 s into its hour
//   0000004f29d200 010000                  global
//
// Keys are unique. Where tagk and tagv have one byte each, a last pair and 3 bytes are as long as 5
// bytes; but there a qualifier's second byte is 0, and a UID's never is.
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/point.h"
#include "codec/rows/row_key.h"
#include "engine/table/table_spec.h"

namespace hourcell {

// Of the row key with which an annotation's key begins.
inline constexpr RowSpan kAnnotationRowSpan = SpecOf(TableId::kAnnotation).row_span;

// A parsed key. Views borrow from the parsed bytes.
struct AnnotationKeyView {
  std::string_view metric;  // empty: a global annotation
  std::string_view tags;    // whole pairs
  int64_t start_ms = 0;

  bool is_global() const { return metric.empty(); }
};

// Appends the key of the annotation at `start` of the series, or of a global one if `tsuid` is
// empty. REQUIRES: tsuid as EncodeTsuid makes it; 0 <= start.ms <= kTimestampMsMax.
void AppendAnnotationKey(const RowKeyCodec& row_keys,
                         std::string_view tsuid,
                         const Timestamp& start,
                         std::string* out);

// kDataLoss: the key does not end with an annotation's qualifier, or does not begin with a row key.
absl::StatusOr<AnnotationKeyView> ParseAnnotationKey(const RowKeyCodec& row_keys,
                                                     std::string_view key);

}  // namespace hourcell
