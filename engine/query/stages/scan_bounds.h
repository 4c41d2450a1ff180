// ScanBounds: OpenTSDB's range of reads around [start, end]. All points in the bounds take part in
// downsampling, rate and interpolation; only the output is cut to [start, end]. Reference:
// TsdbQuery.getScanStartTimeSeconds / getScanEndTimeSeconds. Pure but for time zone tables.

#pragma once

#include <cstdint>
#include <optional>

#include "engine/query/query_spec.h"

namespace hourcell {

struct ScanBounds {
  uint32_t begin_s = 0;  // multiple of 3600
  uint64_t end_s = 0;    // exclusive; multiple of 3600
  friend bool operator==(const ScanBounds&, const ScanBounds&) = default;
};

// S = start / 1000, E = end / 1000 + 1, I = the interval (0 for none and for `all`):
//   begin = hour floor of S - ((S * 1000) mod I) / 1000, never negative
//   end   = I = 0: E + 3600 - E mod 3600
//           else: E + (I - E * 1000 mod I) / 1000 rounded up to an hour
//
// By the calendar: from the boundary at or before the start to the one after the end, to whole
// hours. (OpenTSDB uses the nominal interval from 1970 on and so cuts the last bucket short.)
ScanBounds ComputeScanBounds(int64_t start_ms,
                             int64_t end_ms,
                             const std::optional<DownsampleSpec>& downsample);

}  // namespace hourcell
