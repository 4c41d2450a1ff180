// RegionGate: every write to a region passes it, so that a split can close it. New writes cannot
// delay the closing: they wait, and it waits for the writes that are inside. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/base/mutex.h"

namespace hourcell {

class RegionGate {
 public:
  enum class Entry : uint8_t {
    kInside,
    kGone,    // its keys are another region's now
    kFailed,  // nobody knows whose they are until the store is opened again
  };

  // Waits while the gate is closed.
  [[nodiscard]] Entry Enter();
  // REQUIRES: Enter() was kInside.
  void Leave();

  // Closes it, and waits until nobody is inside. REQUIRES: it is open, and nobody else closes it.
  void Close();
  // Opens it again. REQUIRES: it is closed.
  void Open();
  // For ever: tells all who wait or come that the region is gone. REQUIRES: it is closed.
  void Abandon();
  // For ever: tells all who wait or come that it failed. REQUIRES: it is closed.
  void Fail();
  bool has_failed() const;

 private:
  enum class State : uint8_t { kOpen, kClosed, kGone, kFailed };

  void EndClosed(State state);

  mutable Mutex mutex_;
  CondVar changed_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kOpen;
  size_t inside_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace hourcell
