// Durations that tests count in.

#pragma once

#include <cstdint>

namespace hourcell {

inline constexpr int64_t kHourMs = 3600 * 1000;

}  // namespace hourcell
