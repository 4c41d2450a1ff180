// Query times and durations as text: OpenTSDB's DateTime. Pure but for time zone tables.
//
//   now, ""                                 the present
//   <n><unit>-ago                           units ms s m h d w n(30 d) y(365 d), any case
//   <n>ms                                   milliseconds
//   digits                                  at most 10: seconds, else milliseconds
//   dddddddddd.d{1,3}                       the dot is deleted, then milliseconds
//   yyyy/MM/dd[-HH:mm[:ss]], also with a blank before the time, in `timezone`

#pragma once

#include <cstdint>
#include <string_view>

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "engine/query/query_spec.h"

namespace hourcell {

// Milliseconds since 1970. `timezone` is an IANA name; empty = UTC.
// kInvalidArgument with the actual text and the expected forms;
// "The timezone specification could not be found" for an unknown zone.
absl::StatusOr<int64_t> ParseQueryTime(std::string_view text,
                                       std::string_view timezone,
                                       int64_t now_ms);

// The zone of an IANA name; empty = UTC. Reads the system's tzdata.
// kInvalidArgument "The timezone specification could not be found".
absl::StatusOr<absl::TimeZone> ParseTimezone(std::string_view name);

struct Duration {
  int64_t count = 0;  // > 0
  DurationUnit unit = DurationUnit::kMs;
  int64_t ms = 0;  // nominal: a month is 30 days, a year 365
};

// "<n><unit>", unit case-insensitive. Errors as for ParseDuration.
absl::StatusOr<Duration> ParseDurationText(std::string_view text);

// The letters of a unit: "ms", "s", "m", "h", "d", "w", "n", "y".
std::string_view DurationUnitName(DurationUnit unit);

// "<n><unit>" in milliseconds, unit case-insensitive.
// kInvalidArgument: "Invalid duration (...): x", "Zero or negative duration: x".
absl::StatusOr<int64_t> ParseDuration(std::string_view text);

}  // namespace hourcell
