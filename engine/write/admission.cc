#include "engine/write/admission.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

// Why room is checked before points are stored: accepted points are never dropped, so a batch must
// not begin without room for all points. It waits, or is refused as a whole.

namespace hourcell {
namespace {

// Limit of pending sections while the journal cannot be written.
constexpr size_t kPendingBytesMax = 32 << 20;

// A waiting append checks at this interval even without a call of RoomChanged.
constexpr int64_t kLookMs = 50;

absl::Status Full(const char* what, uint64_t bytes, uint64_t limit) {
  return absl::UnavailableError(
      fmt::format("{}: {} of {} bytes are in use; try again later", what, bytes, limit));
}

}  // namespace

absl::Status Admission::Room() const {
  if (open_hours_.bytes() > limits_.open_hours_bytes) {
    return Full("open hours", static_cast<uint64_t>(open_hours_.bytes()),
                static_cast<uint64_t>(limits_.open_hours_bytes));
  }
  if (journal_.bytes() > limits_.journal_bytes) {
    return Full("journal", journal_.bytes(), limits_.journal_bytes);
  }
  if (commit_.pending_bytes() > kPendingBytesMax) {
    return Full("points waiting for the journal", commit_.pending_bytes(), kPendingBytesMax);
  }
  return absl::OkStatus();
}

absl::Status Admission::Admit(int64_t wait_ms) {
  absl::Status room = Room();
  if (room.ok()) return room;
  waited_.fetch_add(1, std::memory_order_relaxed);
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto deadline = now() + std::chrono::milliseconds(wait_ms);
  while (!room.ok() && now() < deadline) {
    wake_();
    MutexLock lock(&mutex_);
    room_changed_.WaitFor(&mutex_, std::min(wait_ms, kLookMs));
    room = Room();
  }
  if (!room.ok()) {
    wake_();
    refused_.fetch_add(1, std::memory_order_relaxed);
  }
  return room;
}

void Admission::RoomChanged() {
  MutexLock lock(&mutex_);
  room_changed_.NotifyAll();
}

}  // namespace hourcell
