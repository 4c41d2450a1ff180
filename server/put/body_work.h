// BodyWork: the work on the body of one request, counted in steps. A step is an item of the body,
// or a member of an item. The work ends early when the client is gone, when an administrator
// cancels it (DELETE /api/stats/query), or when its time is over.
//
//   while (work->Step() && <there is another item>) ...
//   if (!work->status().ok()) ...     // it was ended
//
// Thread-compatible.

#pragma once

#include <cstdint>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/query.h"

namespace hourcell {

// Steps between two checks of the client and the clock. A step takes at most some microseconds.
inline constexpr uint64_t kStepsOfALook = 256;

class BodyWork {
 public:
  // Work that is never ended early.
  BodyWork() = default;
  // Both are borrowed. `deadline_ms`: by MonotonicClock; 0 = none.
  BodyWork(const QueryControl* control, MonotonicClock* clock, int64_t deadline_ms)
      : control_(control), clock_(clock), deadline_ms_(deadline_ms) {}
  BodyWork(const BodyWork&) = delete;
  BodyWork& operator=(const BodyWork&) = delete;

  // Counts a step. False: the work has ended; do no more.
  bool Step() { return ++steps_ % kStepsOfALook != 0 ? status_.ok() : Look(); }

  // Checks at once, whatever the count.
  bool Look();

  // kUnavailable: why the work has ended. The same request may be sent again.
  const absl::Status& status() const { return status_; }
  uint64_t steps() const { return steps_; }

 private:
  const QueryControl* const control_ = nullptr;
  MonotonicClock* const clock_ = nullptr;
  const int64_t deadline_ms_ = 0;
  uint64_t steps_ = 0;
  absl::Status status_;
};

}  // namespace hourcell
