// Durations in the settings of rollups: a count and a unit, "10m". Units are ms s m h d w n y; a
// month (n) is 30 days and a year 365, as OpenTSDB counts durations. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

struct CountAndUnit {
  int64_t count = 0;      // 1 to 1,000,000, so that no product with a unit overflows
  std::string_view unit;  // the rest of the text; borrowed
};

// `field` is the subject of errors. kInvalidArgument: no count, 0, or too large.
absl::StatusOr<CountAndUnit> SplitRollupDuration(std::string_view field, std::string_view text);

// In seconds; below a second 0. kInvalidArgument: also another unit.
absl::StatusOr<int64_t> RollupDurationSeconds(std::string_view field, std::string_view text);

}  // namespace hourcell
