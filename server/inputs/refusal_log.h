// RefusalLog: log lines about points that were refused, for protocols that answer nothing. However
// many are refused, a line is due at most every kRefusalLogMs. Thread-safe.

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
  explicit RefusalLog(Clock* clock) : clock_(clock) {}

  // Counts `refused` and returns the line to be logged, if one is due: "<first>; <n> refused since
  // the last report". `first` is what is wrong with one of them.
  std::optional<std::string> Note(std::string_view first, size_t refused);

 private:
  Clock* const clock_;
  Mutex mutex_;
  size_t refused_ ABSL_GUARDED_BY(mutex_) = 0;  // since the last line
  int64_t due_ms_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace hourcell
