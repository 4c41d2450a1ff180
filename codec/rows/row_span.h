// RowSpan: the time that a row of points covers. A row begins at a multiple of the span, its base
// time. A value: each table states the span of its rows (engine/table/table_spec.h). Compilers fold
// the divisions by a constexpr span.

#pragma once

#include <cstdint>

#include "codec/base/check.h"
#include "codec/limits.h"

namespace hourcell {

struct RowSpan {
  uint32_t seconds = 0;  // at most 49 days; 0: rows are not by time

  constexpr uint32_t ms() const {
    HOURCELL_DCHECK(seconds <= UINT32_MAX / 1000);
    return seconds * 1000;
  }
  constexpr bool is_by_time() const { return seconds != 0; }

  // The members below REQUIRE is_by_time().

  // The base time in seconds of the row with an instant. REQUIRES: 0 <= ms <= kTimestampMsMax.
  constexpr uint32_t BaseS(int64_t ms) const {
    HOURCELL_DCHECK(ms >= 0 && ms <= kTimestampMsMax);
    return FloorS(static_cast<uint32_t>(ms / 1000));
  }
  // Rounds a time down, or up, to a base time. The result of CeilS may be past every row.
  constexpr uint32_t FloorS(uint32_t time_s) const { return time_s - time_s % seconds; }
  constexpr uint64_t CeilS(uint64_t time_s) const {
    return (time_s + seconds - 1) / seconds * seconds;
  }
  constexpr bool IsBase(uint64_t time_s) const { return time_s % seconds == 0; }
  // The end of the row that begins at a base time.
  constexpr uint64_t EndS(uint64_t base_time_s) const { return base_time_s + seconds; }
  // The last base time that a row key can hold, and its end.
  constexpr uint32_t LastBaseS() const { return FloorS(UINT32_MAX); }
  constexpr uint64_t EndOfTimeS() const { return EndS(LastBaseS()); }

  friend constexpr bool operator==(RowSpan, RowSpan) = default;
};

// OpenTSDB's rows, and the largest span of which a qualifier holds each offset.
inline constexpr RowSpan kHourSpan{.seconds = 3600};
static_assert(kHourSpan.ms() == kQualifierSpanMs);

// The span of a row that has the hours of a day with few points (codec/cells/day_cell.h).
inline constexpr RowSpan kDaySpan{.seconds = 86'400};

}  // namespace hourcell
