// SealControl: progress and cancellation of sealing all open hours.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace hourcell {

struct SealControl {
  const std::atomic<bool>* cancelled = nullptr;  // borrowed; may be null
  // Called before the first piece and after each piece: the hours sealed, of those that were open
  // when sealing began. May be null.
  std::function<void(uint64_t done, uint64_t total)> progress = {};
};

}  // namespace hourcell
