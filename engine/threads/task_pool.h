// TaskPool: threads that help callers with pieces of work. A caller works too, and never waits for
// a piece that has not begun: a busy pool makes a call slower, not stuck. Thread-safe.

#pragma once

#include <sched.h>
#include <sys/types.h>

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

  // Calls `work(i)` once for each i < count, on several threads, and `then(i)` on the caller's
  // thread, in the order of i, each as soon as its work is done. The caller works, too, while the
  // next piece is not ready. Ends early if `then` returns false: pieces that have begun are
  // finished, others are left out. Exceptions as ForEach; `then` may throw as well.
  void ForEachThen(size_t count,
                   const std::function<void(size_t i)>& work,
                   const std::function<bool(size_t i)>& then);

 private:
  class Job;
  // A helper, for its processor.
  struct Helper {
    pid_t thread = 0;  // 0: it has not begun
    bool is_idle = false;
    int kept_off = -1;  // the processor that it may not use
  };

  // A job whose pieces helpers begin to do.
  std::shared_ptr<Job> Post(size_t count, const std::function<void(size_t i)>& work);
  void Help(size_t index);
  // Keeps up to `most` idle helpers off the processor of the caller.
  void KeepOff(size_t most) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const cpu_set_t processors_;  // that the process may use
  Mutex mutex_;
  CondVar has_work_;
  std::deque<std::shared_ptr<Job>> jobs_
      ABSL_GUARDED_BY(mutex_);  // each job once for each helper that it needs
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool chooses_processors_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Helper> state_ ABSL_GUARDED_BY(mutex_);  // of each of helpers_
  std::vector<NamedThread> helpers_;
};

}  // namespace hourcell
