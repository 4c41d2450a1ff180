// How many file descriptors the process may have open.

#pragma once

#include <cstdint>

namespace hourcell {

// The limit that holds now. Thread-safe.
int64_t DescriptorLimit();

// Raises the limit as far as the system lets this process, and returns it. Called once, before
// there are threads.
int64_t RaiseDescriptorLimit();

}  // namespace hourcell
