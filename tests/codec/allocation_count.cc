#include "tests/codec/allocation_count.h"

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "tests/support/sanitizers.h"

namespace hourcell {
namespace {

std::atomic<size_t> allocation_count{0};
std::atomic<size_t> failing_bytes{SIZE_MAX};
std::atomic<size_t> allocated_bytes{0};
std::atomic<size_t> allocated_bytes_peak{0};

}  // namespace

size_t AllocationCount() {
  return allocation_count.load(std::memory_order_relaxed);
}

size_t AllocatedBytes() {
  return allocated_bytes.load(std::memory_order_relaxed);
}
size_t AllocatedBytesPeak() {
  return allocated_bytes_peak.load(std::memory_order_relaxed);
}
void ResetAllocatedBytesPeak() {
  allocated_bytes_peak.store(AllocatedBytes(), std::memory_order_relaxed);
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

namespace {

void CountBytes(void* memory) {
  using hourcell::allocated_bytes;
  using hourcell::allocated_bytes_peak;
  const size_t bytes = malloc_usable_size(memory);
  const size_t now = allocated_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  size_t peak = allocated_bytes_peak.load(std::memory_order_relaxed);
  while (peak < now &&
         !allocated_bytes_peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

void GiveBack(void* memory) {
  hourcell::allocated_bytes.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

// The forms that the standard's others call.
void* operator new(size_t size) {
  hourcell::allocation_count.fetch_add(1, std::memory_order_relaxed);
  const bool fails = size >= hourcell::failing_bytes.load(std::memory_order_relaxed);
  void* const memory = fails ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  CountBytes(memory);
  return memory;
}

void operator delete(void* memory) noexcept {
  GiveBack(memory);
}
void operator delete(void* memory, size_t) noexcept {
  GiveBack(memory);
}

#endif  // HOURCELL_IS_SANITIZED
