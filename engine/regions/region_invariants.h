// What must hold of the regions of one table at every moment, as a check that says what does not.
// For tests after each operation, for fsck, and before a RegionMap is made. Pure.

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
  kFirstStartNotEmpty,     // keys below the first region belong to nobody
  kLastEndNotEmpty,        // keys above the last one
  kEmptyRange,             // start >= end
  kHole,                   // keys between two regions belong to nobody
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
