#include "codec/base/mutex.h"

#include <utility>

namespace hourcell {

void SharedMutex::Lock() {
  std::unique_lock<std::mutex> lock(mutex_);
  ++waiting_writers_;
  while (has_writer_)
    writer_may_come_.wait(lock);
  --waiting_writers_;
  has_writer_ = true;
  state_.fetch_or(kClosed, std::memory_order_acquire);
  while (state_.load(std::memory_order_acquire) != kClosed)
    readers_are_out_.wait(lock);
}

void SharedMutex::Unlock() {
  const std::lock_guard<std::mutex> lock(mutex_);
  has_writer_ = false;
  ++turn_;
  // The waiting readers are inside from now on.
  const uint32_t readers = std::exchange(waiting_readers_, 0);
  if (waiting_writers_ == 0) {
    state_.fetch_add(readers * kOneReader - kClosed, std::memory_order_release);
  } else {
    state_.fetch_add(readers * kOneReader, std::memory_order_release);
    writer_may_come_.notify_one();
  }
  if (readers > 0) readers_may_come_.notify_all();
}

// For a reader that is counted in state_ and found it closed.
void SharedMutex::WaitForWriter() {
  std::unique_lock<std::mutex> lock(mutex_);
  // The writer has left meanwhile, and there is no next one: it would have taken mutex_.
  if ((state_.load(std::memory_order_acquire) & kClosed) == 0) return;
  if (state_.fetch_sub(kOneReader, std::memory_order_relaxed) == (kOneReader | kClosed)) {
    readers_are_out_.notify_one();
  }
  ++waiting_readers_;
  const uint64_t turn = turn_;
  while (turn_ == turn)
    readers_may_come_.wait(lock);
}

void SharedMutex::TellWriter() {
  // Needs the lock: without it, the writer may have checked state_ but not wait yet.
  const std::lock_guard<std::mutex> lock(mutex_);
  readers_are_out_.notify_one();
}

}  // namespace hourcell
