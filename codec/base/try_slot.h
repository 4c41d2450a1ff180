// Turn: holds the one place there is, if it was free; for work of which a second one is refused
// rather than kept waiting.
//
//   const Turn turn(&is_busy_);
//   if (!turn.taken()) return TryLater();

#pragma once

#include <atomic>

namespace hourcell {

class Turn {
 public:
  // Borrowed; false while the place is free.
  explicit Turn(std::atomic<bool>* is_busy) : is_busy_(is_busy), taken_(!is_busy->exchange(true)) {}
  ~Turn() {
    if (taken_) *is_busy_ = false;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool taken() const { return taken_; }

 private:
  std::atomic<bool>* const is_busy_;
  const bool taken_;
};

}  // namespace hourcell
