// Counts the allocations of a test program, so that a test can say that something makes none, and
// has large ones fail.

#pragma once

#include <cstddef>

namespace hourcell {

// How often operator new was called so far, by any thread; always 0 under ThreadSanitizer.
size_t AllocationCount();

// Bytes that operator new gave to any thread and that are not given back yet, and the most that
// there were since the last reset; always 0 under the sanitizers.
size_t AllocatedBytes();
size_t AllocatedBytesPeak();
void ResetAllocatedBytesPeak();

// As long as there is one, allocations of `bytes` and more fail, of any thread. Not where a
// sanitizer has its own.
class FailingAllocations {
 public:
  explicit FailingAllocations(size_t bytes);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

}  // namespace hourcell
