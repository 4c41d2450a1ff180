// std::mutex with clang's thread-safety annotations. Not absl::Mutex: Debian's package is built
// without ThreadSanitizer, which then misses its ordering and reports false races.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include <absl/base/thread_annotations.h>

namespace hourcell {

class ABSL_LOCKABLE Mutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_->Lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mutex_;
};

// Many readers or one writer; neither waits for more than one turn of the others. While a writer
// waits, new readers wait, too. When a writer is done, all readers that wait by then enter before
// the next writer. (A std::shared_mutex admits readers while one is inside: frequent readers starve
// a writer.)
//
// A reader costs one atomic addition to enter and one to leave, unless there is a writer. A thread
// must not lock it twice. Destroy it only after all calls have returned.
class ABSL_LOCKABLE SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION();
  void Unlock() ABSL_UNLOCK_FUNCTION();
  void ReaderLock() ABSL_SHARED_LOCK_FUNCTION() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if ((state_.fetch_add(kOneReader, std::memory_order_acquire) & kClosed) != 0) [[unlikely]]
      WaitForWriter();
  }
  void ReaderUnlock() ABSL_UNLOCK_FUNCTION() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (state_.fetch_sub(kOneReader, std::memory_order_acq_rel) == (kOneReader | kClosed))
        [[unlikely]]
      TellWriter();
  }

 private:
  // In state_: a writer is inside, or waits for the readers inside to leave; changed under mutex_.
  static constexpr uint32_t kClosed = 1;
  static constexpr uint32_t kOneReader = 2;

  void WaitForWriter();
  void TellWriter();

  std::atomic<uint32_t> state_{0};
  std::mutex mutex_;                         // guards the fields below
  std::condition_variable writer_may_come_;  // the previous writer is done
  std::condition_variable readers_are_out_;
  std::condition_variable readers_may_come_;
  bool has_writer_ = false;
  uint32_t waiting_writers_ = 0;
  uint32_t waiting_readers_ = 0;
  uint64_t turn_ = 0;  // number of writers that are done
};

class ABSL_SCOPED_LOCKABLE WriterLock {
 public:
  explicit WriterLock(SharedMutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_->Lock();
  }
  ~WriterLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex* const mutex_;
};

class ABSL_SCOPED_LOCKABLE ReaderLock {
 public:
  explicit ReaderLock(SharedMutex* mutex) ABSL_SHARED_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_->ReaderLock();
  }
  ~ReaderLock() ABSL_UNLOCK_FUNCTION() { mutex_->ReaderUnlock(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex* const mutex_;
};

// Waits on a Mutex the caller holds.
class CondVar {
 public:
  void Wait(Mutex* mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // False if `ms` milliseconds passed without a notification.
  bool WaitFor(Mutex* mutex, int64_t ms) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    const bool notified =
        condition_.wait_for(lock, std::chrono::milliseconds(ms)) == std::cv_status::no_timeout;
    lock.release();
    return notified;
  }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace hourcell
