// Background: the one owner of the engine's threads. Runs one task every so often until it is
// stopped. Tests call RunOnce instead of waiting. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <thread>

#include "codec/base/mutex.h"

namespace hourcell {

class Background {
 public:
  // Starts calling `task` every `interval_ms`; never if it is 0.
  Background(int64_t interval_ms, std::function<void()> task);
  // Waits for a run under way.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Lets the thread run the task at once instead of at the end of the interval.
  void Wake();

  // Runs the task now, on the caller's thread.
  void RunOnce() { task_(); }

 private:
  void Loop();

  const int64_t interval_ms_;
  const std::function<void()> task_;
  Mutex mutex_;
  CondVar changed_;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_woken_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace hourcell
