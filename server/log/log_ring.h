// LogRing: the last lines of the log, in memory, for /logs.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "codec/base/mutex.h"
#include "server/log/log.h"

namespace hourcell {

// A longer message is cut, so that the ring has a bound in bytes, too.
inline constexpr size_t kLogRingMessageBytesMax = 1024;

class LogRing {
 public:
  explicit LogRing(size_t lines_max) : lines_max_(lines_max) {}

  // Drops the oldest line if the ring is full.
  void Add(LogLine line);

  // Newest first.
  std::vector<LogLine> Newest() const;

 private:
  const size_t lines_max_;
  mutable Mutex mutex_;
  std::deque<LogLine> lines_ ABSL_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace hourcell
