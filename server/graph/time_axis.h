// The time axis of a graph: its ticks and their texts. Ticks are on round times of the zone's
// clock; texts are those of OpenTSDB's graphs, by the length of the range:
//
//   to 35 minutes  %H:%M:%S      to 2 weeks  %a %d %H:%M
//   to a day       %H:%M         to 90 days  %b %d
//   to a week      %a %H:%M      longer      %Y/%m/%d
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/time/time.h>

#include "server/plot/ticks.h"

namespace hourcell {

// At most about `ticks_max` ticks, all in the range, by value in milliseconds. `format` is a format
// of strftime; empty = as above. REQUIRES: start < end, ticks_max >= 2.
std::vector<plot::Tick> TimeTicks(int64_t start_ms,
                                  int64_t end_ms,
                                  size_t ticks_max,
                                  const absl::TimeZone& zone,
                                  std::string_view format = {});

// The format for a range of that length.
std::string_view TimeFormatOf(int64_t span_ms);

}  // namespace hourcell
