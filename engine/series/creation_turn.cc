#include "engine/series/creation_turn.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {
namespace {

// check_room sends no notification, so a waiting thread calls it at this interval.
constexpr int64_t kLookEveryMs = 5;

}  // namespace

absl::Status CreationTurn::Run(int64_t wait_ms,
                               const std::function<absl::Status()>& check_room,
                               const std::function<bool()>& work) {
  const Time deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  for (bool is_first = true;; is_first = false) {
    absl::Status turn = Take(deadline, check_room);
    if (!turn.ok()) return is_first ? turn : absl::OkStatus();
    const bool is_done = work();
    End();
    if (is_done || std::chrono::steady_clock::now() >= deadline) return absl::OkStatus();
  }
}

absl::Status CreationTurn::Take(Time deadline, const std::function<absl::Status()>& check_room) {
  while (true) {
    absl::Status room = check_room();
    MutexLock lock(&mutex_);
    if (room.ok()) {
      if (!std::exchange(is_taken_, true)) return absl::OkStatus();
      room = absl::UnavailableError("new series: others are being created; try again");
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return room;
    ended_.WaitFor(&mutex_, std::min<int64_t>(left.count(), kLookEveryMs));
  }
}

void CreationTurn::End() {
  MutexLock lock(&mutex_);
  HOURCELL_CHECK(is_taken_);
  is_taken_ = false;
  ended_.NotifyAll();
}

}  // namespace hourcell
