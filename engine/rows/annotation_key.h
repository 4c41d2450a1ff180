// Keys of the annotation table: the row key of the points of the series and hour, or of global
// annotations, followed by the object qualifier that OpenTSDB would use in the row. So the table
// has the annotations and the histograms of a series, each at one instant.
//
//   00000152c20900 000001000001 010a02     annotation of a series, 2,562 s into its hour
//   00000152c20900 000001000001 060a02     histogram at the same instant
//   0000004f29d200 010000                  global annotation
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

#include "codec/object_qualifier.h"
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
  uint8_t type = 0;  // of the object: kAnnotationType or kHistogramType

  bool is_global() const { return metric.empty(); }
  bool is_annotation() const { return type == kAnnotationType; }
};

// Appends the key of the annotation at `start` of the series, or of a global one if `tsuid` is
// empty. REQUIRES: tsuid as EncodeTsuid makes it; 0 <= start.ms <= kTimestampMsMax.
void AppendAnnotationKey(const RowKeyCodec& row_keys,
                         std::string_view tsuid,
                         const Timestamp& start,
                         std::string* out);

// Appends the key of the histogram of the series at `time_ms`. REQUIRES: as AppendAnnotationKey,
// with a tsuid.
void AppendHistogramKey(const RowKeyCodec& row_keys,
                        std::string_view tsuid,
                        int64_t time_ms,
                        std::string* out);

// Parses the key of an annotation or a histogram. kDataLoss: the key does not end with the
// qualifier of one, or does not begin with a row key; a global histogram.
absl::StatusOr<AnnotationKeyView> ParseAnnotationKey(const RowKeyCodec& row_keys,
                                                     std::string_view key);

}  // namespace hourcell
