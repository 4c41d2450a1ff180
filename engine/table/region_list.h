// RegionList: the part of the storage port that lists the regions of tables, and their sizes. Every
// storage engine has it, with or without a RegionStore.
//
// Thread-safe. Errors as in engine/table/tables.h.

#pragma once

#include <cstdint>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/regions/region_info.h"
#include "engine/table/table.h"

namespace hourcell {

// The current resources and load of a region.
struct RegionUse {
  RegionInfo region;
  uint64_t file_bytes = 0;    // of rows in its range, about
  uint64_t memory_bytes = 0;  // not yet in files
  uint64_t files = 0;
  uint64_t young_files = 0;  // not yet merged with the rest: level 0
  // Rows since the region was opened: written, and blocked because it lagged.
  uint64_t rows_written = 0;
  uint64_t rows_blocked = 0;
  uint64_t rows_read = 0;  // by gets and cursors, since it was opened
};

class RegionList {
 public:
  virtual ~RegionList() = default;

  // The regions of a table with their resources and load, ascending by start; there is always one.
  virtual absl::StatusOr<std::vector<RegionUse>> RegionUses(TableId table) = 0;

  // Size of keys and values in a range, compressed where they are in files; accurate to about a
  // tenth with TableCapability::kByteCounts. Reads no rows.
  virtual absl::StatusOr<uint64_t> ApproximateBytes(TableId table, const ScanRange& range) = 0;
};

}  // namespace hourcell
