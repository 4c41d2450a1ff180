// TaskPool: threads that help callers with pieces of work. A caller works too, and never waits for
// a piece that has not begun: a busy pool makes a call slower, not stuck. Thread-safe.

#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"

namespace hourcell {

class TaskPool {
 public:
  // `threads`: the maximum for one call, the caller's included; 0: the number of processors.
  explicit TaskPool(size_t threads);
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;
  ~TaskPool();

  size_t threads() const { return helpers_.size() + 1; }

  // Calls `work(i)` once for each i < count, on several threads, and returns when all are done. If
  // calls threw, such as std::bad_alloc, one of their exceptions is thrown then.
  void ForEach(size_t count, const std::function<void(size_t i)>& work);

 private:
  struct Job;
  static void WorkOn(Job* job);
  static void Finish(Job* job);
  void Help();

  Mutex mutex_;
  CondVar has_work_;
  std::deque<std::shared_ptr<Job>> jobs_
      ABSL_GUARDED_BY(mutex_);  // each job once for each helper that it needs
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<NamedThread> helpers_;
};

}  // namespace hourcell
