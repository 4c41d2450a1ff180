// The settings of StatsD: tsd.statsd.*. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "server/config/config.h"

namespace hourcell {

// A percentile of timers: 99.9, whose metrics end in ".p99.9".
struct StatsdPercentile {
  double percent = 0;  // above 0, at most 100
  std::string suffix;
};

struct StatsdSettings {
  std::string prefix;  // of each metric
  std::vector<StatsdPercentile> percentiles = {};
  size_t series_max = 0;                    // that are held
  size_t memory_bytes = size_t{128} << 20;  // of what is held
  int64_t flush_s = 10;
};

// kInvalidArgument with the key, what it is and what is wanted.
absl::StatusOr<StatsdSettings> StatsdSettingsOf(const Config& config);

}  // namespace hourcell
