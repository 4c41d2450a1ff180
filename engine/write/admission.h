// Admission: limits points in the memory of open hours, in the journal, and in sections not written
// to the journal yet. At a limit, an append waits or is refused; accepted points are never dropped.
// Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include <absl/status/status.h>

#include "codec/base/mutex.h"
#include "engine/hours/open_hours.h"
#include "engine/journal/journal.h"
#include "engine/write/group_commit.h"

namespace hourcell {

class Admission {
 public:
  struct Limits {
    int64_t open_hours_bytes = 0;
    uint64_t journal_bytes = 0;
  };
  // All borrowed.
  Admission(const Limits& limits,
            const OpenHours* open_hours,
            const Journal* journal,
            const GroupCommit* commit)
      : limits_(limits), open_hours_(*open_hours), journal_(*journal), commit_(*commit) {}

  // `wake` is called to make room. Set it before the first Admit.
  void SetWake(std::function<void()> wake) { wake_ = std::move(wake); }

  // OK if there is room now or within `wait_ms`. kUnavailable names the full resource.
  absl::Status Admit(int64_t wait_ms);

  // OK if there is room now. kUnavailable names the full resource.
  absl::Status Room() const;

  // Call it when there may be room again.
  void RoomChanged();

  // Shares of the limits at which early sealing starts, and stops.
  bool OpenHoursPressed() const { return open_hours_.bytes() > limits_.open_hours_bytes / 4 * 3; }
  bool JournalPressed() const { return journal_.bytes() > limits_.journal_bytes / 5 * 4; }
  int64_t OpenHoursTarget() const { return limits_.open_hours_bytes / 2; }

  uint64_t waited() const { return waited_.load(std::memory_order_relaxed); }
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  const Limits limits_;
  const OpenHours& open_hours_;
  const Journal& journal_;
  const GroupCommit& commit_;
  std::function<void()> wake_;
  Mutex mutex_;
  CondVar room_changed_;
  std::atomic<uint64_t> waited_{0};
  std::atomic<uint64_t> refused_{0};
};

}  // namespace hourcell
