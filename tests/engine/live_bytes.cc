#include "tests/engine/live_bytes.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace hourcell {
namespace {

std::atomic<size_t> live_bytes{0};
std::atomic<size_t> live_bytes_peak{0};

}  // namespace

size_t LiveBytes() {
  return live_bytes.load(std::memory_order_relaxed);
}

size_t LiveBytesPeak() {
  return live_bytes_peak.load(std::memory_order_relaxed);
}

void ResetLiveBytesPeak() {
  live_bytes_peak.store(LiveBytes(), std::memory_order_relaxed);
}

}  // namespace hourcell

#if !HOURCELL_IS_SANITIZED

namespace {

void Count(void* memory) {
  using hourcell::live_bytes;
  using hourcell::live_bytes_peak;
  const size_t bytes = malloc_usable_size(memory);
  const size_t live = live_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  size_t peak = live_bytes_peak.load(std::memory_order_relaxed);
  while (peak < live &&
         !live_bytes_peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

void Release(void* memory) {
  hourcell::live_bytes.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

// The forms that the standard's others call.
void* operator new(size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  Count(memory);
  return memory;
}

void operator delete(void* memory) noexcept {
  Release(memory);
}
void operator delete(void* memory, size_t) noexcept {
  Release(memory);
}

#endif  // HOURCELL_IS_SANITIZED
