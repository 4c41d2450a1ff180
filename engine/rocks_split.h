// RocksSplit: changes which regions a table has, on RocksDB.
//
//   split      intent in `meta`, flush               writes go on
//              -> close the region's gate            its writers wait
//              -> export its files twice: hard links, and a flush of what came since
//              -> import each as a daughter's family
//              -> commit: one synced batch in `meta`, the point of no return
//              -> publish the new set, abandon the gate
//              -> drop the parent's family           readers of before keep it
//   trim       later, in the background: what is outside of a daughter's range leaves its files
//   presplit   close the region's gate -> is the table empty? -> a family for each new region
//              -> commit: one synced batch in `meta`, the point of no return
//              -> publish the new set, abandon the gate -> drop the old family
//
// Before the commit a crash leaves families that no row names, after it one: both are dropped when
// the store is opened. One change at a time. Thread-safe.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

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

  // Cuts the region that has `key` there: rows from `key` on go to the second daughter.
  // kInvalidArgument: the region begins with `key`, or it is empty.
  absl::Status Split(TableId table, std::string_view key, uint64_t now_ms);

  // Takes out of the files of regions that were split what is not theirs, those of one region at
  // most. True if there may be more to do.
  absl::StatusOr<bool> Trim(TableId table);

  // TableStore::Presplit. `now_ms` makes the ids of the regions.
  absl::Status Presplit(TableId table, std::span<const std::string> keys, uint64_t now_ms);

 private:
  using Regions = std::vector<std::pair<RegionInfo, std::shared_ptr<RocksRegion>>>;

  absl::StatusOr<Regions> MakeDaughters(TableId table,
                                        const RegionInfo& parent,
                                        rocksdb::ColumnFamilyHandle* family,
                                        std::span<const RegionInfo> daughters)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  absl::StatusOr<Regions> MakeEmpty(TableId table,
                                    std::span<const std::string> keys,
                                    uint64_t now_ms,
                                    const RegionInfo& parent)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  // Replaces the rows of `before` by those of `after`, and forgets their transitions.
  absl::Status Commit(const RegionInfo& before, const Regions& after)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  absl::Status WriteMeta(rocksdb::WriteBatch* batch);
  rocksdb::ColumnFamilyHandle* meta() const;

  rocksdb::DB& db_;
  const RocksFamilies& families_;
  RocksRegions& regions_;
  Mutex change_;  // one at a time
};

}  // namespace hourcell
