// Object qualifiers: the place in a row of an object other than a point: an annotation or a
// histogram.
//
//   seconds, 3 bytes       [type: 8 bits][offset in s: 16]     010000 .. 010e0f
//   milliseconds, 5 bytes  [type: 8 bits][offset in ms: 32]    0100000000 .. 010036ee7f
//
// Big-endian, no flags. Their odd length distinguishes them from the qualifiers of points
// (hbase_cells.h). The qualifier of an append cell has the same form, but is not an object: its
// type is 5.
//
// Pure; no allocation; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/point.h"

namespace hourcell {

// ON DISK: do not renumber.
inline constexpr uint8_t kAnnotationType = 0x01;
inline constexpr uint8_t kHistogramType = 0x06;

struct ObjectQualifier {
  uint8_t type = 0;
  uint32_t offset_ms = 0;  // in [0, 3,600,000); a multiple of 1000 if !is_ms
  bool is_ms = false;

  size_t encoded_size() const { return is_ms ? 5 : 3; }

  friend bool operator==(const ObjectQualifier&, const ObjectQualifier&) = default;
};

// The qualifier of an object at `time`. Its precision is kept, except that an annotation at a whole
// second always has seconds, so that either spelling finds it. (OpenTSDB divides times of seconds
// that end in 000 by 1000 once more, and stores another offset.)
// REQUIRES: 0 <= time.ms <= kTimestampMsMax.
ObjectQualifier ObjectQualifierAt(uint8_t type, const Timestamp& time);

void AppendObjectQualifier(const ObjectQualifier& qualifier, std::string* out);

// Parses all of `bytes` as a qualifier of any type. kDataLoss: neither 3 nor 5 bytes, an offset of
// an hour or more.
absl::StatusOr<ObjectQualifier> ParseObjectQualifier(std::string_view bytes);

}  // namespace hourcell
