// The limit of open file descriptors of the process.

#pragma once

#include <cstdint>

namespace hourcell {

// The current limit. Thread-safe.
int64_t DescriptorLimit();

// Raises the limit as far as the system allows, and returns it. Called once, before threads start.
int64_t RaiseDescriptorLimit();

}  // namespace hourcell
