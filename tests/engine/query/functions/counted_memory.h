// CountedMemory: a MemoryAccount with a limit, for tests.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <absl/status/status.h>

#include "engine/query/memory_account.h"

namespace hourcell {

class CountedMemory : public MemoryAccount {
 public:
  absl::Status Take(size_t bytes) override {
    if (held + bytes > limit) return absl::ResourceExhaustedError("the test's limit");
    held += bytes;
    peak = std::max(peak, held);
    return absl::OkStatus();
  }
  void GiveBack(size_t bytes) override { held -= bytes; }

  size_t limit = SIZE_MAX;
  size_t held = 0;
  size_t peak = 0;
};

}  // namespace hourcell
