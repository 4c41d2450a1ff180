// Time comes from outside: whoever needs the present takes a Clock. Tests pass a ManualClock.

#pragma once

#include <atomic>
#include <cstdint>

namespace hourcell {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Milliseconds since 1970-01-01T00:00:00Z.
  virtual int64_t NowMs() = 0;

  // The machine's wall clock. Lives for ever.
  static Clock* System();
};

// A clock that stands still until it is told otherwise.
class ManualClock : public Clock {
 public:
  explicit ManualClock(int64_t now_ms) : now_ms_(now_ms) {}
  int64_t NowMs() override { return now_ms_.load(); }
  void Set(int64_t now_ms) { now_ms_.store(now_ms); }
  void Advance(int64_t ms) { now_ms_.fetch_add(ms); }

 private:
  std::atomic<int64_t> now_ms_;
};

}  // namespace hourcell
