// The settings of StatsD: tsd.statsd.*. No I/O.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "server/config/config.h"

namespace hourcell {

// A percentile of timers: 99.9 has metrics that end in ".p99.9".
struct StatsdPercentile {
  double percent = 0;  // above 0, at most 100
  std::string suffix;
};

struct StatsdSettings {
  std::string prefix;  // of each metric
  std::vector<StatsdPercentile> percentiles = {};
  size_t series_max = 0;                    // limit of existing series
  size_t memory_bytes = size_t{128} << 20;  // limit of all series and values
  int64_t flush_s = 10;
};

// kInvalidArgument with the key, the value and the expected form.
absl::StatusOr<StatsdSettings> StatsdSettingsOf(const Config& config);

}  // namespace hourcell
