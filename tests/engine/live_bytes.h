// The memory that this test program holds, so that a test can compare the count of a limit with the
// allocated bytes. Under the sanitizers nothing is counted: see kCountsLiveBytes.

#pragma once

#include <cstddef>

#include "tests/support/sanitizers.h"

namespace hourcell {

inline constexpr bool kCountsLiveBytes = !kIsSanitized;

// Bytes that operator new gave to any thread and that are not given back yet.
size_t LiveBytes();

// The most that there were since the last call of ResetLiveBytesPeak.
size_t LiveBytesPeak();
void ResetLiveBytesPeak();

}  // namespace hourcell
