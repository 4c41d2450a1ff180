#include "engine/regions/split/memory_budget.h"

#include <algorithm>

#include <fmt/format.h>

#include "codec/base/check.h"

// Why this predicts and refuses nothing: a store with more regions than its memory has room for
// works, with more and smaller files.

namespace hourcell {

double RegionsInMemory(const MemoryBudget& budget) {
  HOURCELL_CHECK(budget.flush_bytes > 0 && budget.families > 0);
  return static_cast<double>(budget.memory_bytes) * budget.share /
         (static_cast<double>(budget.flush_bytes) * static_cast<double>(budget.families));
}

std::string RegionCountWarning(uint64_t regions, const MemoryBudget& budget) {
  const double room = RegionsInMemory(budget);
  if (static_cast<double>(regions) <= room) return "";
  const double memtable_bytes = static_cast<double>(budget.memory_bytes) * budget.share /
                                static_cast<double>(regions * budget.families);
  return fmt::format(
      "{} regions, memory for {:.0f}: memtables are flushed at about {:.0f} bytes and not at {}; "
      "expected {} bytes for memtables, fewer regions, or a flush size of {:.0f}",
      regions, room, memtable_bytes, budget.flush_bytes,
      regions * budget.families * budget.flush_bytes, memtable_bytes);
}

}  // namespace hourcell
