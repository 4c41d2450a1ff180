// RegionGate: what every write to a region goes through, so that a split can close it. Closing is
// not put off by writes that keep coming: those wait, and who is inside is waited for. Thread-safe.

#pragma once

#include <cstddef>

#include "codec/base/mutex.h"

namespace hourcell {

class RegionGate {
 public:
  // Waits while the gate is closed. False if the region is gone: its keys are another's now.
  [[nodiscard]] bool Enter();
  void Leave();

  // Closes it, and waits until nobody is inside. REQUIRES: it is open, and nobody else closes it.
  void Close();
  // Opens it again. REQUIRES: it is closed.
  void Open();
  // For ever: whoever waits or comes is told that the region is gone. REQUIRES: it is closed.
  void Abandon();

 private:
  enum class State { kOpen, kClosed, kGone };

  Mutex mutex_;
  CondVar changed_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kOpen;
  size_t inside_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace hourcell
