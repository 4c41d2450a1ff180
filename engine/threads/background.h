// Background: a thread that runs one task at intervals until it is stopped. Tests call RunOnce
// instead of waiting. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"

namespace hourcell {

class Background {
 public:
  // Starts a thread named `name` (codec/base/named_thread.h) that calls `task` every `interval_ms`;
  // does not start one if it is 0.
  Background(std::string name, int64_t interval_ms, std::function<void()> task);
  // Waits for a running task.
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
  NamedThread thread_;
};

}  // namespace hourcell
