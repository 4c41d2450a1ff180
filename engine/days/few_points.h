// The hours with few points, which share the row of their day. Pure.

#pragma once

#include <cstdint>

#include "codec/rows/row_span.h"

namespace hourcell {

// True for an hour of fewer points than `points_max`, also at the rate of its points for a whole
// hour: an hour of many points may be sealed early, in parts. `time_ms` is the time from its first
// point to its last.
inline bool AreFewPoints(uint32_t count, uint64_t time_ms, uint32_t points_max) {
  // The rate is judged from this share of the limit on, as a few points may come close together.
  constexpr uint64_t kJudgedShare = 8;
  if (count == 0 || count >= points_max) return false;
  const bool is_judged = count * kJudgedShare >= points_max && time_ms > 0;
  return !is_judged || (count - 1) * uint64_t{kHourSpan.ms()} < (points_max - 1) * time_ms;
}

}  // namespace hourcell
