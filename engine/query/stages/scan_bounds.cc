#include "engine/query/stages/scan_bounds.h"

#include <algorithm>

#include "codec/limits.h"
#include "engine/query/stages/calendar_grid.h"

namespace hourcell {
namespace {

constexpr uint64_t kLastHourS = UINT32_MAX - UINT32_MAX % kRowSpanS;

constexpr uint64_t kLastSecond = uint64_t{UINT32_MAX} + 1;

ScanBounds BoundsByCalendar(int64_t start_ms, int64_t end_ms, const DownsampleSpec& spec) {
  const CalendarGrid grid(spec, start_ms);
  const auto begin_s = static_cast<uint64_t>(std::max<int64_t>(grid.Floor(start_ms), 0)) / 1000;
  const int64_t next_ms = grid.Next(grid.Floor(std::max(start_ms, end_ms)));
  const uint64_t last_s =
      std::min((static_cast<uint64_t>(std::max<int64_t>(next_ms, 0)) + 999) / 1000, kLastSecond);
  return {
      .begin_s = static_cast<uint32_t>(std::min(begin_s - begin_s % kRowSpanS, kLastHourS)),
      .end_s = (last_s + kRowSpanS - 1) / kRowSpanS * kRowSpanS,
  };
}

}  // namespace

ScanBounds ComputeScanBounds(int64_t start_ms,
                             int64_t end_ms,
                             const std::optional<DownsampleSpec>& downsample) {
  if (downsample.has_value() && downsample->calendar) {
    return BoundsByCalendar(start_ms, end_ms, *downsample);
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
  const bool is_whole_hour = interval_ms != 0 && last_s % kRowSpanS == 0;
  return {
      .begin_s = static_cast<uint32_t>(std::min(begin_s - begin_s % kRowSpanS, kLastHourS)),
      .end_s = is_whole_hour ? last_s : last_s - last_s % kRowSpanS + kRowSpanS,
  };
}

}  // namespace hourcell
