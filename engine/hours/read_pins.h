// ReadPins: which reads are under way, so that a sealed hour stays in memory until none needs it.
//
// A read pins before it takes its snapshot of the tables. An hour whose cell became visible at time
// t is in every snapshot of a read that pinned after t. So that read leaves the hour out, because
// its points may have been deleted since; and the hour can go once Oldest() > t. Thread-safe.

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "codec/base/mutex.h"

namespace hourcell {

class ReadPins {
 public:
  // Holds its read's place until it is gone. Movable.
  class Pin {
   public:
    Pin() = default;
    Pin(ReadPins* pins, uint64_t time) : pins_(pins), time_(time) {}
    Pin(Pin&& other) noexcept : pins_(std::exchange(other.pins_, nullptr)), time_(other.time_) {}
    Pin& operator=(Pin&& other) noexcept {
      std::swap(pins_, other.pins_);
      std::swap(time_, other.time_);
      return *this;
    }
    ~Pin() {
      if (pins_ != nullptr) pins_->Release(time_);
    }

    // When it was acquired: a read passes it to OpenHours.
    uint64_t time() const { return time_; }

   private:
    ReadPins* pins_ = nullptr;
    uint64_t time_ = 0;
  };

  Pin Acquire() {
    MutexLock lock(&mutex_);
    active_.push_back(++now_);
    return {this, now_};
  }

  // A time after every Acquire so far and before every later one.
  uint64_t Tick() {
    MutexLock lock(&mutex_);
    return ++now_;
  }

  // The time of the oldest read under way; without one, a time after Tick()'s last.
  uint64_t Oldest() {
    MutexLock lock(&mutex_);
    return active_.empty() ? now_ + 1 : active_.front();
  }

 private:
  void Release(uint64_t time) {
    MutexLock lock(&mutex_);
    const auto pin = std::ranges::lower_bound(active_, time);
    HOURCELL_DCHECK(pin != active_.end() && *pin == time);
    active_.erase(pin);
  }

  Mutex mutex_;
  uint64_t now_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<uint64_t> active_ ABSL_GUARDED_BY(mutex_);  // ascending; a few, so a set costs more
};

}  // namespace hourcell
