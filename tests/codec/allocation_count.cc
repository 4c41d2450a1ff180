#include "tests/codec/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace hourcell {
namespace {

std::atomic<size_t> allocation_count{0};

}  // namespace

size_t AllocationCount() {
  return allocation_count.load(std::memory_order_relaxed);
}

}  // namespace hourcell

// The sanitizers bring these themselves and want them in pairs; under them nothing is counted.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HOURCELL_KEEP_OPERATOR_NEW
#endif
#endif
#ifndef HOURCELL_KEEP_OPERATOR_NEW

// The forms that the standard's others call.
void* operator new(size_t size) {
  hourcell::allocation_count.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

#endif  // HOURCELL_KEEP_OPERATOR_NEW
