// RefusalLog: log lines about refused points, for protocols without responses. Logs at most one
// line per kRefusalLogMs. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"

namespace hourcell {

inline constexpr int64_t kRefusalLogMs = 10'000;

class RefusalLog {
 public:
  // `clock` is borrowed; its monotonic time counts.
  explicit RefusalLog(MonotonicClock* clock) : clock_(clock) {}

  // Counts `refused`. Returns a line to log if one is due: "<first>; <n> refused since the last
  // report". `first` is the fault of one refused point.
  std::optional<std::string> Note(std::string_view first, size_t refused);

 private:
  MonotonicClock* const clock_;
  Mutex mutex_;
  size_t refused_ ABSL_GUARDED_BY(mutex_) = 0;  // since the last line
  int64_t due_ms_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace hourcell
