#include "engine/threads/task_pool.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

// Why callers keep helpers off their own processor: on virtual machines with few processors, Linux
// often wakes a helper on the processor of its caller, where it waits for a tick of up to four
// milliseconds, while another processor is idle. Most pieces take less. Only idle helpers are
// moved, so that no thread is interrupted.

namespace hourcell {
namespace {

// Empty if the system does not say.
cpu_set_t AllowedProcessors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) CPU_ZERO(&allowed);
  return allowed;
}

}  // namespace

class TaskPool::Job {
 public:
  // `work` is the caller's, and alive until all pieces are done.
  Job(size_t count, const std::function<void(size_t)>* work)
      : count_(count), work_(work), is_done_(count) {}

  // Does a piece that no thread has begun. False if none is left.
  bool DoOne() {
    const size_t i = next_++;
    if (i >= count_) return false;
    std::exception_ptr failure;
    try {
      (*work_)(i);
    } catch (...) {
      failure = std::current_exception();  // Finish throws it on the caller's thread
    }
    MutexLock lock(&mutex_);
    if (failure != nullptr) failure_ = std::move(failure);
    is_done_[i] = true;
    ++done_;
    changed_.NotifyAll();
    return true;
  }

  void DoAll() {
    while (DoOne()) {
    }
  }

  // Does other pieces, and then waits, until the piece is done. False if a piece has thrown.
  bool Await(size_t piece) {
    while (!IsDone(piece) && DoOne()) {
    }
    MutexLock lock(&mutex_);
    while (!is_done_[piece])
      changed_.Wait(&mutex_);
    return failure_ == nullptr;
  }

  // Leaves out all pieces that no thread has begun.
  void Stop() {
    const size_t begun = std::min(next_.exchange(count_), count_);
    MutexLock lock(&mutex_);
    done_ += count_ - begun;
  }

  // Waits until all pieces are done. Throws the exception of a piece.
  void Finish() {
    MutexLock lock(&mutex_);
    while (done_ < count_)
      changed_.Wait(&mutex_);
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  bool IsDone(size_t piece) {
    MutexLock lock(&mutex_);
    return is_done_[piece];
  }

  const size_t count_;
  const std::function<void(size_t)>* const work_;
  std::atomic<size_t> next_{0};
  Mutex mutex_;
  CondVar changed_;
  std::vector<bool> is_done_ ABSL_GUARDED_BY(mutex_);
  size_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  std::exception_ptr failure_ ABSL_GUARDED_BY(mutex_);
};

TaskPool::TaskPool(size_t threads) : processors_(AllowedProcessors()) {
  if (threads == 0) threads = ProcessorCount();
  {
    MutexLock lock(&mutex_);
    chooses_processors_ = CPU_COUNT(&processors_) > 1;
    state_.resize(threads - 1);
  }
  for (size_t i = 0; i + 1 < threads; ++i)
    helpers_.emplace_back("hc-query-part", [this, i] { Help(i); });
}

TaskPool::~TaskPool() {
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
  }
  has_work_.NotifyAll();
  for (NamedThread& helper : helpers_)
    helper.Join();
}

void TaskPool::Help(size_t index) {
  while (true) {
    std::shared_ptr<Job> job;
    {
      MutexLock lock(&mutex_);
      state_[index].thread = gettid();
      while (jobs_.empty() && !stopping_) {
        state_[index].is_idle = true;
        has_work_.Wait(&mutex_);
      }
      state_[index].is_idle = false;
      if (stopping_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job->DoAll();
  }
}

void TaskPool::KeepOff(size_t most) {
  const int processor = sched_getcpu();
  if (processor < 0 || !CPU_ISSET(static_cast<size_t>(processor), &processors_)) return;
  for (Helper& helper : state_) {
    if (most == 0) return;
    if (!helper.is_idle) continue;
    --most;
    if (helper.kept_off == processor) continue;
    cpu_set_t others = processors_;
    CPU_CLR(static_cast<size_t>(processor), &others);
    if (sched_setaffinity(helper.thread, sizeof(others), &others) != 0) {
      chooses_processors_ = false;  // the system does not allow it
      return;
    }
    helper.kept_off = processor;
  }
}

std::shared_ptr<TaskPool::Job> TaskPool::Post(size_t count,
                                              const std::function<void(size_t)>& work) {
  const auto job = std::make_shared<Job>(count, &work);
  const size_t helpers = std::min(helpers_.size(), count > 0 ? count - 1 : 0);
  if (helpers == 0) return job;
  {
    MutexLock lock(&mutex_);
    jobs_.insert(jobs_.end(), helpers, job);
    if (chooses_processors_) KeepOff(helpers);
  }
  has_work_.NotifyAll();
  return job;
}

void TaskPool::ForEach(size_t count, const std::function<void(size_t)>& work) {
  const std::shared_ptr<Job> job = Post(count, work);
  job->DoAll();
  job->Finish();
}

void TaskPool::ForEachThen(size_t count,
                           const std::function<void(size_t)>& work,
                           const std::function<bool(size_t)>& then) {
  const std::shared_ptr<Job> job = Post(count, work);
  std::exception_ptr failure;
  try {
    for (size_t i = 0; i < count; ++i)
      if (!job->Await(i) || !then(i)) break;
  } catch (...) {
    failure = std::current_exception();  // helpers may still use the caller's memory
  }
  job->Stop();
  job->Finish();
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace hourcell
