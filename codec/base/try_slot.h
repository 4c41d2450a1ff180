// TrySlot: takes the only slot if it is free; for work of which a second instance is rejected
// instead of queued.
//
//   const TrySlot slot(&is_busy_);
//   if (!slot.taken()) return TryLater();

#pragma once

#include <atomic>

namespace hourcell {

class TrySlot {
 public:
  // Borrowed; false while the slot is free.
  explicit TrySlot(std::atomic<bool>* is_busy)
      : is_busy_(is_busy), taken_(!is_busy->exchange(true)) {}
  ~TrySlot() {
    if (taken_) *is_busy_ = false;
  }
  TrySlot(const TrySlot&) = delete;
  TrySlot& operator=(const TrySlot&) = delete;

  bool taken() const { return taken_; }

 private:
  std::atomic<bool>* const is_busy_;
  const bool taken_;
};

}  // namespace hourcell
