// TrySlot: holds the one place there is, if it was free; for work of which a second one is refused
// rather than kept waiting.
//
//   const TrySlot slot(&is_busy_);
//   if (!slot.taken()) return TryLater();

#pragma once

#include <atomic>

namespace hourcell {

class TrySlot {
 public:
  // Borrowed; false while the place is free.
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
