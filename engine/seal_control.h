// SealControl: how sealing all that is open is watched and ended.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace hourcell {

struct SealControl {
  const std::atomic<bool>* cancelled = nullptr;  // borrowed; null: nobody ends it
  // Told after each piece, and before the first, how many hours are sealed of those that were open
  // when it began. None: nobody is.
  std::function<void(uint64_t done, uint64_t total)> progress = {};
};

}  // namespace hourcell
