// RegionStore: the optional part of the storage port that divides tables into regions. Writes and
// reads of rows (engine/table/tables.h) continue while regions change.
//
// Thread-safe. Errors as in engine/table/tables.h.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
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
  // The normaliser does not merge the new regions before this time.
  uint64_t pinned_until_ms = 0;
};

// Valid as long as the store is open.
struct RegionProbe {
  std::vector<FileSpan> files;
  SplitProbe probe;
};

// kUnimplemented: the answer to a change of regions on a storage engine without a RegionStore.
inline absl::Status NoRegionStore(std::string_view engine) {
  return absl::UnimplementedError(std::string(engine) + ": the service divides tables by itself");
}

class RegionStore {
 public:
  virtual ~RegionStore() = default;

  // Cuts an empty table that was never cut: a region for each range between the keys.
  // kInvalidArgument: keys that do not ascend, an empty one. kFailedPrecondition: the table has
  // rows, or regions already, or cannot have regions.
  virtual absl::Status Presplit(TableId table, const RegionCut& cut) = 0;

  // Cuts the region that has the keys there, during writes and reads. kInvalidArgument: the region
  // begins with one of them, or does not have all. kFailedPrecondition: no region may begin with
  // that, or the table can have one region only.
  virtual absl::Status Split(TableId table, const RegionCut& cut) = 0;

  // Merges neighbours, given by ids in any order, into one region, during writes and reads. Empty
  // regions cost only a line of the catalogue. kInvalidArgument: fewer than two, or not neighbours.
  // kNotFound: an id is unknown.
  virtual absl::Status MergeRegions(TableId table, std::span<const RegionId> ids) = 0;

  // Deletes the rows of their sisters that regions still hold after a split, for at most one
  // region. True if more may remain.
  virtual absl::StatusOr<bool> TrimRegions(TableId table) = 0;

  // The regions of a table, ascending by start; there is always one.
  virtual std::vector<RegionInfo> Regions(TableId table) = 0;

  // The input of FindSplitPoint for a region. kNotFound: the id is unknown.
  virtual absl::StatusOr<RegionProbe> ProbeRegion(TableId table, RegionId id) = 0;

  // Calls `work` while no table changes its regions, and returns its result.
  virtual absl::Status WithRegionsAtRest(const std::function<absl::Status()>& work) = 0;
};

}  // namespace hourcell
