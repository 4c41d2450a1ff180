// RocksSplit: changes which regions a table has, on RocksDB.
//
//   presplit   close the region's gate -> is the table empty? -> a family for each new region
//              -> commit: one synced batch in `meta`, the point of no return
//              -> publish the new set, abandon the gate -> drop the old family
//
// Before the commit a crash leaves families that no row names, after it one: both are dropped when
// the store is opened. One change at a time. Thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <rocksdb/db.h>

#include "codec/base/mutex.h"
#include "engine/rocks_open.h"
#include "engine/rocks_region.h"
#include "engine/table.h"

namespace hourcell {

class RocksSplit {
 public:
  // All are borrowed.
  RocksSplit(rocksdb::DB* db, const RocksFamilies* families, RocksRegions* regions)
      : db_(*db), families_(*families), regions_(*regions) {}

  // TableStore::Presplit. `now_ms` makes the ids of the regions.
  absl::Status Presplit(TableId table, std::span<const std::string> keys, uint64_t now_ms);

 private:
  using Regions = std::vector<std::pair<RegionInfo, std::shared_ptr<RocksRegion>>>;

  absl::StatusOr<Regions> MakeEmpty(TableId table,
                                    std::span<const std::string> keys,
                                    uint64_t now_ms,
                                    const RegionInfo& parent)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  // Replaces the rows of `before` by those of `after`.
  absl::Status Commit(const RegionInfo& before, const Regions& after)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);

  rocksdb::DB& db_;
  const RocksFamilies& families_;
  RocksRegions& regions_;
  Mutex change_;  // one at a time
};

}  // namespace hourcell
