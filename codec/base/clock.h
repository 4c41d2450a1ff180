// Time comes from outside: code that needs the present takes a clock. Tests pass a ManualClock.
//
// WallClock gives the times of points, rows and a user's ranges. It may be set forward or back at
// any moment. Durations and deadlines use MonotonicClock, which is never set. Never compare a time
// of one clock with a time of the other. A part takes the one that it needs, so that its type
// shows if a step of the wall clock can reach it; Clock hands out both.

#pragma once

#include <atomic>
#include <cstdint>

namespace hourcell {

// Thread-safe.
class WallClock {
 public:
  virtual ~WallClock() = default;

  // Milliseconds since 1970-01-01T00:00:00Z.
  virtual int64_t NowMs() = 0;
};

// Thread-safe.
class MonotonicClock {
 public:
  virtual ~MonotonicClock() = default;

  // Milliseconds since an arbitrary moment, more than 0: std::chrono::steady_clock's. Only elapsed
  // time changes it.
  virtual int64_t MonotonicMs() = 0;
};

// Both, for parts that need both and for those that hand them on. Puts read the monotonic clock, so
// it is the first base: a call needs no change of the pointer.
class Clock : public MonotonicClock, public WallClock {
 public:
  // The machine's clocks. Lives until the process ends.
  static Clock* System();
};

// A clock that moves only when its owner moves it.
class ManualClock : public Clock {
 public:
  explicit ManualClock(int64_t now_ms) : now_ms_(now_ms) {}
  int64_t NowMs() override { return now_ms_.load(); }
  int64_t MonotonicMs() override { return monotonic_ms_.load(); }

  // Lets `ms` milliseconds pass.
  void Advance(int64_t ms) {
    now_ms_.fetch_add(ms);
    monotonic_ms_.fetch_add(ms);
  }
  // Lets time pass until `now_ms`; a time before the present is a step of the wall clock.
  void Set(int64_t now_ms) {
    const int64_t passed_ms = now_ms - now_ms_.exchange(now_ms);
    if (passed_ms > 0) monotonic_ms_.fetch_add(passed_ms);
  }
  // Steps the wall clock forward or back; no time passes.
  void StepWall(int64_t ms) { now_ms_.fetch_add(ms); }

 private:
  // Far from the wall clock's time, so that a mix-up shows.
  static constexpr int64_t kBootedMs = 1'000'000;

  std::atomic<int64_t> now_ms_;
  std::atomic<int64_t> monotonic_ms_ = kBootedMs;
};

}  // namespace hourcell
