// Checks the invariants of one table's regions and reports each violation. Used by tests after each
// operation, by fsck, and before a RegionMap is made. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/regions/region_info.h"

namespace hourcell {

enum class RegionFault : uint8_t {
  kNoRegion,               // a table has at least one
  kFirstStartNotEmpty,     // no region has the keys below the first one
  kLastEndNotEmpty,        // keys above the last one
  kEmptyRange,             // start >= end
  kHole,                   // no region has the keys between two
  kOverlap,                // keys that two regions have
  kBadState,               // SPLIT, MERGED, SPLITTING_NEW or MERGING_NEW: its keys are another's
  kOtherTable,             // regions of two tables in one list
  kDuplicateId,            // two regions of one id
  kIdNotMonotone,          // not greater than those of its parents
  kDuplicateColumnFamily,  // two regions would share files
};

struct RegionFinding {
  RegionFault fault = RegionFault::kNoRegion;
  size_t index = 0;  // of the region in the list, the later one of two
  std::string text;  // with keys as HBase prints them
};

// Everything that is wrong with `regions`, which are sorted by start key; empty if they are one
// table's and tile its key space. Takes n log n.
std::vector<RegionFinding> CheckInvariants(std::span<const RegionInfo> regions);

}  // namespace hourcell
