#include "tests/codec/allocation_count.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "tests/support/sanitizers.h"

namespace hourcell {
namespace {

std::atomic<size_t> allocation_count{0};
std::atomic<size_t> failing_bytes{SIZE_MAX};

}  // namespace

size_t AllocationCount() {
  return allocation_count.load(std::memory_order_relaxed);
}

FailingAllocations::FailingAllocations(size_t bytes) {
  failing_bytes = bytes;
}
FailingAllocations::~FailingAllocations() {
  failing_bytes = SIZE_MAX;
}

}  // namespace hourcell

// The sanitizers bring these themselves and want them in pairs; under them nothing is counted.
#if !HOURCELL_IS_SANITIZED

// The forms that the standard's others call.
void* operator new(size_t size) {
  hourcell::allocation_count.fetch_add(1, std::memory_order_relaxed);
  const bool fails = size >= hourcell::failing_bytes.load(std::memory_order_relaxed);
  void* const memory = fails ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

#endif  // HOURCELL_IS_SANITIZED
