#include "server/http/request_body_budget.h"

#include "codec/base/check.h"

namespace hourcell {

bool RequestBodyBudget::Take(size_t own, size_t more) {
  size_t held = bytes_.load(std::memory_order_relaxed);
  do {
    if (bytes_max_ > 0 && held > own && held + more > bytes_max_) return false;
  } while (!bytes_.compare_exchange_weak(held, held + more, std::memory_order_relaxed));
  return true;
}

bool RequestBodyBudget::Hold::Grow(size_t bytes) {
  if (memory_ == nullptr || bytes <= bytes_) return true;
  if (!memory_->Take(bytes_, bytes - bytes_)) {
    was_refused_ = true;
    return false;
  }
  bytes_ = bytes;
  return true;
}

void RequestBodyBudget::Hold::Shrink(size_t bytes) {
  if (bytes >= bytes_) return;
  HOURCELL_DCHECK(memory_ != nullptr);
  memory_->bytes_.fetch_sub(bytes_ - bytes, std::memory_order_relaxed);
  bytes_ = bytes;
}

}  // namespace hourcell
