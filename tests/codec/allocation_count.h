// Counts the allocations of a test program, so that a test can say that something makes none.

#pragma once

#include <cstddef>

namespace hourcell {

// How often operator new was called so far, by any thread; always 0 under ThreadSanitizer.
size_t AllocationCount();

}  // namespace hourcell
