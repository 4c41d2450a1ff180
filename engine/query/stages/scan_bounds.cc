#include "engine/query/stages/scan_bounds.h"

#include <algorithm>

#include "codec/limits.h"
#include "engine/query/stages/calendar_grid.h"

namespace hourcell {
namespace {

constexpr uint64_t kLastSecond = uint64_t{UINT32_MAX} + 1;

// The base time of the row with a second; of later ones, the last row's.
uint32_t BaseOf(RowSpan span, uint64_t time_s) {
  return span.FloorS(static_cast<uint32_t>(std::min<uint64_t>(time_s, UINT32_MAX)));
}

ScanBounds BoundsByCalendar(RowSpan span,
                            int64_t start_ms,
                            int64_t end_ms,
                            const DownsampleSpec& spec) {
  const CalendarGrid grid(spec, start_ms);
  const auto begin_s = static_cast<uint64_t>(std::max<int64_t>(grid.Floor(start_ms), 0)) / 1000;
  const int64_t next_ms = grid.Next(grid.Floor(std::max(start_ms, end_ms)));
  const uint64_t last_s =
      std::min((static_cast<uint64_t>(std::max<int64_t>(next_ms, 0)) + 999) / 1000, kLastSecond);
  return {.begin_s = BaseOf(span, begin_s), .end_s = span.CeilS(last_s)};
}

}  // namespace

ScanBounds ComputeScanBounds(RowSpan span,
                             int64_t start_ms,
                             int64_t end_ms,
                             const std::optional<DownsampleSpec>& downsample) {
  if (downsample.has_value() && downsample->calendar) {
    return BoundsByCalendar(span, start_ms, end_ms, *downsample);
  }
  // Unsigned: seconds * 1000 of the last millisecond an int64_t holds needs the 64th bit.
  const uint64_t start_s = static_cast<uint64_t>(std::max<int64_t>(start_ms, 0)) / 1000;
  const uint64_t end_s = static_cast<uint64_t>(std::max<int64_t>(end_ms, 0)) / 1000 + 1;
  const uint64_t interval_ms = downsample.has_value() && !downsample->all
                                   ? static_cast<uint64_t>(downsample->interval_ms)
                                   : 0;

  uint64_t begin_s = start_s;
  uint64_t last_s = end_s;
  if (interval_ms != 0) {
    begin_s -= start_s * 1000 % interval_ms / 1000;
    last_s += (interval_ms - end_s * 1000 % interval_ms) / 1000;
  }
  // Without an interval, OpenTSDB reads a row more where the end is a base time.
  const bool is_end = interval_ms != 0 && span.IsBase(last_s);
  return {
      .begin_s = BaseOf(span, begin_s),
      .end_s = is_end ? last_s : last_s - last_s % span.seconds + span.seconds,
  };
}

}  // namespace hourcell
