// ScanBounds: OpenTSDB's range of reads around [start, end]. All points in the bounds take part in
// downsampling, rate and interpolation; only the output is cut to [start, end]. Reference:
// TsdbQuery.getScanStartTimeSeconds / getScanEndTimeSeconds. Pure but for time zone tables.

#pragma once

#include <cstdint>
#include <optional>

#include "codec/rows/row_span.h"
#include "engine/query/query_spec.h"

namespace hourcell {

struct ScanBounds {
  uint32_t begin_s = 0;  // a base time
  uint64_t end_s = 0;    // exclusive; the end of a row
  friend bool operator==(const ScanBounds&, const ScanBounds&) = default;
};

// The bounds in a table of rows of `span`. R = its seconds, S = start / 1000, E = end / 1000 + 1,
// I = the interval (0 for none and for `all`):
//   begin = S - ((S * 1000) mod I) / 1000 rounded down to a row, never negative
//   end   = I = 0: E + R - E mod R
//           else: E + (I - E * 1000 mod I) / 1000 rounded up to a row
//
// By the calendar: from the boundary at or before the start to the one after the end, to whole
// rows. (OpenTSDB uses the nominal interval from 1970 on and so cuts the last bucket short.)
ScanBounds ComputeScanBounds(RowSpan span,
                             int64_t start_ms,
                             int64_t end_ms,
                             const std::optional<DownsampleSpec>& downsample);

}  // namespace hourcell
