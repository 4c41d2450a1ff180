#include "server/body_memory.h"

namespace hourcell {

bool BodyMemory::Take(size_t bytes) {
  size_t held = bytes_.load(std::memory_order_relaxed);
  do {
    if (bytes_max_ > 0 && held > 0 && held + bytes > bytes_max_) return false;
  } while (!bytes_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
  return true;
}

bool BodyMemory::Hold::Grow(size_t bytes) {
  if (memory_ == nullptr || bytes <= bytes_) return true;
  if (!memory_->Take(bytes - bytes_)) return false;
  bytes_ = bytes;
  return true;
}

void BodyMemory::Hold::Release() {
  if (bytes_ > 0) memory_->bytes_.fetch_sub(bytes_, std::memory_order_relaxed);
  bytes_ = 0;
}

}  // namespace hourcell
