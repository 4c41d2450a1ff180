// RegionGate: every write to a region passes it, so that a split can close it. New writes cannot
// delay the closing: they wait until it is done. Close waits for the writes inside. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/base/mutex.h"

namespace hourcell {

class RegionGate {
 public:
  enum class Entry : uint8_t {
    kInside,
    kGone,    // another region has its keys now
    kFailed,  // unknown which region has its keys, until the store is opened again
  };

  // Waits while the gate is closed.
  [[nodiscard]] Entry Enter();
  // REQUIRES: Enter() was kInside.
  void Leave();

  // Closes it, and waits until it is empty. REQUIRES: it is open, and no other thread closes it.
  void Close();
  // Opens it again. REQUIRES: it is closed.
  void Open();
  // Final: all waiting and later Enter() return kGone. REQUIRES: it is closed.
  void Abandon();
  // Final: all waiting and later Enter() return kFailed. REQUIRES: it is closed.
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
