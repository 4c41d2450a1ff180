#include "engine/threads/task_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

namespace hourcell {

struct TaskPool::Job {
  Job(size_t n, const std::function<void(size_t)>* w) : count(n), work(w) {}

  const size_t count;
  const std::function<void(size_t)>* const work;  // the caller's; alive until all pieces are done
  std::atomic<size_t> next{0};
  Mutex mutex;
  CondVar all_done;
  size_t done ABSL_GUARDED_BY(mutex) = 0;
  std::exception_ptr failure ABSL_GUARDED_BY(mutex);
};

TaskPool::TaskPool(size_t threads) {
  if (threads == 0) threads = ProcessorCount();
  for (size_t i = 1; i < threads; ++i)
    helpers_.emplace_back("hc-query-part", [this] { Help(); });
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

void TaskPool::WorkOn(Job* job) {
  size_t done = 0;
  std::exception_ptr failure;
  for (size_t i = job->next++; i < job->count; i = job->next++) {
    try {
      (*job->work)(i);
    } catch (...) {
      failure = std::current_exception();  // ForEach throws it on the caller's thread
    }
    ++done;
  }
  if (done == 0) return;
  MutexLock lock(&job->mutex);
  if (failure != nullptr) job->failure = std::move(failure);
  job->done += done;
  if (job->done == job->count) job->all_done.NotifyAll();
}

void TaskPool::Finish(Job* job) {
  MutexLock lock(&job->mutex);
  while (job->done < job->count)
    job->all_done.Wait(&job->mutex);
  if (job->failure != nullptr) std::rethrow_exception(job->failure);
}

void TaskPool::Help() {
  while (true) {
    std::shared_ptr<Job> job;
    {
      MutexLock lock(&mutex_);
      while (jobs_.empty() && !stopping_)
        has_work_.Wait(&mutex_);
      if (stopping_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    WorkOn(job.get());
  }
}

void TaskPool::ForEach(size_t count, const std::function<void(size_t i)>& work) {
  const size_t helpers = std::min(helpers_.size(), count > 0 ? count - 1 : 0);
  if (helpers == 0) {
    Job job(count, &work);
    WorkOn(&job);
    Finish(&job);
    return;
  }
  const auto job = std::make_shared<Job>(count, &work);
  {
    MutexLock lock(&mutex_);
    jobs_.insert(jobs_.end(), helpers, job);
  }
  has_work_.NotifyAll();
  WorkOn(job.get());
  Finish(job.get());
}

}  // namespace hourcell
