// How many regions fit into a memory size: each has a memtable, which should fill before it is
// flushed. More regions make more and smaller files, not a failure. Pure.

#pragma once

#include <cstdint>
#include <string>

namespace hourcell {

struct MemoryBudget {
  uint64_t memory_bytes = 0;  // of the heap, or of the write buffers if `share` is 1
  double share = 0.4;         // the part for memtables: HBase's global.memstore.size
  uint64_t flush_bytes = uint64_t{128} << 20;  // of one memtable
  uint64_t families = 1;                       // memtables of one region
};

// memory_bytes x share / (flush_bytes x families). REQUIRES: flush_bytes and families are not 0.
double RegionsInMemory(const MemoryBudget& budget);

// A warning for the operator of a store with `regions` regions that get writes; empty if they fit.
std::string RegionCountWarning(uint64_t regions, const MemoryBudget& budget);

}  // namespace hourcell
