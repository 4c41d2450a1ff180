// CreationTurn: lets one thread at a time create series. A thread waits until the turn is free and
// there is room, or gets a status with the reason. Thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <absl/status/status.h>

#include "codec/base/mutex.h"

namespace hourcell {

class CreationTurn {
 public:
  // Calls `work` in a turn of the caller's; again in another turn if it returns false and there is
  // time. Waits for at most `wait_ms` milliseconds until `check_room` is OK and no other thread has
  // the turn. kUnavailable, with the reason of the wait: `work` was not called. `check_room` is
  // called without a lock.
  absl::Status Run(int64_t wait_ms,
                   const std::function<absl::Status()>& check_room,
                   const std::function<bool()>& work);

 private:
  using Time = std::chrono::steady_clock::time_point;

  // OK: the turn is the caller's until End.
  absl::Status Take(Time deadline, const std::function<absl::Status()>& check_room);
  void End();

  Mutex mutex_;
  CondVar ended_;
  bool is_taken_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace hourcell
