// CreationTurn: lets one thread at a time create series. A thread waits until no other one does and
// there is room, or gets a status that says why not. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>

#include <absl/status/status.h>

#include "codec/base/mutex.h"

namespace hourcell {

class CreationTurn {
 public:
  // OK: the turn is the caller's until End. Waits for at most `wait_ms` milliseconds until
  // `check_room` is OK and no other thread has the turn; then kUnavailable, which says what it
  // waited for. `check_room` is called without a lock.
  absl::Status Take(int64_t wait_ms, const std::function<absl::Status()>& check_room);

  // REQUIRES: the caller has the turn.
  void End();

 private:
  Mutex mutex_;
  CondVar ended_;
  bool is_taken_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace hourcell
