// RegionStore: the part of the storage port that divides tables into regions. Writes and reads of
// rows (engine/table/tables.h) go on while regions change.
//
// Thread-safe. Errors as in engine/table/tables.h.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/regions/region_info.h"
#include "engine/regions/split/split_point.h"
#include "engine/table/table.h"

namespace hourcell {

// Where regions begin.
struct RegionCut {
  std::vector<std::string> keys;  // ascending, none empty
  // The normaliser does not merge the regions that come of it before.
  uint64_t pinned_until_ms = 0;
};

// What a region takes at the moment.
struct RegionUse {
  RegionInfo region;
  uint64_t file_bytes = 0;    // of what is in its range, about
  uint64_t memory_bytes = 0;  // not yet in files
  uint64_t files = 0;
  uint64_t young_files = 0;  // of them, those not yet merged with the rest: level 0
  // Rows since it was opened: written, and those that had to wait as it lagged.
  uint64_t rows_written = 0;
  uint64_t rows_blocked = 0;
  uint64_t rows_read = 0;  // by gets and cursors, since it was opened
};

// May be used for as long as the store is open.
struct RegionProbe {
  std::vector<FileSpan> files;
  SplitProbe probe;
};

class RegionStore {
 public:
  virtual ~RegionStore() = default;

  // Cuts a table that is empty, and has never been cut: a region for each range between the keys.
  // kInvalidArgument: keys that do not ascend, an empty one. kFailedPrecondition: the table has
  // rows, or regions already, or cannot have any.
  virtual absl::Status Presplit(TableId table, const RegionCut& cut) = 0;

  // Cuts the region that has the keys there, while writes and reads go on. kInvalidArgument: the
  // region begins with one of them, or does not have all. kFailedPrecondition: no region may begin
  // with that, or the table can have one region only. kUnimplemented: the store changes no regions,
  // as from Presplit and MergeRegions.
  virtual absl::Status Split(TableId table, const RegionCut& cut) = 0;

  // Makes one region of neighbours, while writes and reads go on. Ids in any order. Those that are
  // empty cost no more than a line of the catalogue. kInvalidArgument: fewer than two, or not
  // neighbours. kNotFound: there is none of that id.
  virtual absl::Status MergeRegions(TableId table, std::span<const RegionId> ids) = 0;

  // Gives back what regions that were split hold of their sisters', those of one region at most:
  // true if there may be more.
  virtual absl::StatusOr<bool> TrimRegions(TableId table) = 0;

  // The regions of a table, ascending by start; there is always one.
  virtual std::vector<RegionInfo> Regions(TableId table) = 0;

  // The same with what they take.
  virtual absl::StatusOr<std::vector<RegionUse>> RegionUses(TableId table) = 0;

  // Of keys and values in a range, compressed where they are in files; to about a tenth. No row is
  // read.
  virtual absl::StatusOr<uint64_t> ApproximateBytes(TableId table, const ScanRange& range) = 0;

  // What FindSplitPoint asks about a region. kNotFound: there is none of that id.
  virtual absl::StatusOr<RegionProbe> ProbeRegion(TableId table, RegionId id) = 0;

  // Calls `work` while no table changes its regions, and returns what it returns.
  virtual absl::Status WithRegionsAtRest(const std::function<absl::Status()>& work) {
    return work();
  }
};

}  // namespace hourcell
