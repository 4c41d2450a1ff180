// QueryWatch: ends long work after cancellation or its deadline. Thread-compatible.

#pragma once

#include <cstdint>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/query/query_control.h"

namespace hourcell {

class QueryWatch {
 public:
  // Both are borrowed. `deadline_ms`: by MonotonicClock, 0 = none; without it the deadline is
  // `timeout_ms` from now, 0 = none.
  QueryWatch(MonotonicClock* clock,
             const QueryControl* control,
             int64_t deadline_ms,
             int64_t timeout_ms)
      : clock_(*clock), control_(*control), deadline_ms_(deadline_ms) {
    if (deadline_ms_ == 0 && timeout_ms > 0) deadline_ms_ = clock->MonotonicMs() + timeout_ms;
  }

  // kCancelled, kDeadlineExceeded.
  absl::Status Check() const {
    if (control_.is_cancelled()) return absl::CancelledError("The query was cancelled");
    if (deadline_ms_ != 0 && clock_.MonotonicMs() > deadline_ms_) {
      return absl::DeadlineExceededError(
          "Sorry, your query timed out. Please try filtering using more tags or decrease your time "
          "range.");
    }
    return absl::OkStatus();
  }

 private:
  MonotonicClock& clock_;
  const QueryControl& control_;
  int64_t deadline_ms_;
};

}  // namespace hourcell
