// RocksRegionChanger: splits, merges and trims the regions of a table, on RocksDB.
//
//   split      intent in the system table, flush               writes continue
//              -> close the region's gate            its writers wait
//              -> export its files                   hard links, and a flush of newer rows
//              -> import each daughter's share as a family
//              -> commit: one batch in the system table, then synced: the point of no return
//              -> publish the new set, abandon the gate
//              -> drop the parent's family           earlier readers keep it
//   merge      trim the parents, intent, flush       writes continue
//              -> close the gates, in order of keys
//              -> at most one parent has rows: it takes the others' ranges, and no file moves
//              -> else export all, import as one family
//              -> commit -> publish -> abandon the gates -> drop the parents' families
//   presplit   close the region's gate -> is the table empty? -> a family for each new region
//              -> commit -> publish -> abandon the gate -> drop the old family
//   trim       in the background, after a split: removes the rows outside of a daughter's range
//              from its files; the daughter may merge only after that
//
// A crash before the commit leaves families that no row names; a crash after it, the parent's.
// The next open drops both. A failure before the commit is undone at once. If the commit itself
// fails, it may be on disk or not: the parents take no writes until the store is opened again.
//
// Writers of other regions wait for none of the syncs but that of each import: RocksDB keeps all
// writers waiting while it syncs with `sync`, and while it creates or drops a family.
//
// One change at a time; trims run in parallel to it. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "codec/base/mutex.h"
#include "engine/rocks/regions/rocks_recovery.h"
#include "engine/rocks/regions/rocks_region.h"
#include "engine/rocks/rocks_open.h"
#include "engine/store_observer.h"
#include "engine/table/region_store.h"
#include "engine/table/table.h"

namespace hourcell {

class RocksRegionChanger {
 public:
  // All are borrowed. The observers are called before each change, which they may refuse, and after
  // it.
  RocksRegionChanger(rocksdb::DB* db,
                     const RocksFamilies* families,
                     RocksRegions* regions,
                     RocksRecovery* recovery,
                     std::vector<StoreObserver*> observers)
      : db_(*db),
        families_(*families),
        regions_(*regions),
        recovery_(*recovery),
        observers_(std::move(observers)) {}

  // As in RegionStore and TableStore. Ids of new regions are at least `now_ms`.
  absl::Status Presplit(TableId table, const RegionCut& cut, uint64_t now_ms);
  absl::Status Split(TableId table, const RegionCut& cut, uint64_t now_ms);
  absl::Status Merge(TableId table, std::span<const RegionId> ids);
  absl::StatusOr<bool> Trim(TableId table);
  absl::Status WithoutChanges(const std::function<absl::Status()>& work);

 private:
  using Regions = std::vector<std::pair<RegionInfo, std::shared_ptr<RocksRegion>>>;
  class ClosedGates;

  static absl::Status CheckUsable(const RegionSet& set, std::span<const size_t> regions);
  absl::Status AskObservers(const RegionChange& change) const;
  void TellObservers(const RegionChange& change) const;

  std::shared_ptr<const RegionSet> Current(TableId table) const;
  // Returns an id that was never used, not even by a failed change: families are named by ids.
  // REQUIRES: LoadLastId has returned OK.
  RegionId NextId(const RegionSet& set, uint64_t now_ms) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);

  // The regions that `cut` makes from `parent`, without families.
  std::vector<RegionInfo> Daughters(const RegionSet& set,
                                    const RegionInfo& parent,
                                    const RegionCut& cut,
                                    uint64_t now_ms) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  absl::Status MakeDaughters(TableId table,
                             rocksdb::ColumnFamilyHandle* family,
                             const std::vector<RegionInfo>& daughters,
                             Regions* made) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  absl::Status MakeEmpty(TableId table, const std::vector<RegionInfo>& infos, Regions* made)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  absl::Status MakeMerged(TableId table,
                          const RegionSet& set,
                          std::span<const size_t> parents,
                          const RegionInfo& merged,
                          Regions* made) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);

  // Reads the largest id ever used, once.
  absl::Status LoadLastId() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  // Writes the regions that will be made, and marks their ids as used.
  absl::Status WriteIntent(std::span<const RegionInfo> regions)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  // Drops the families of `made` after the error `why`. Returns `why`.
  absl::Status Undo(const absl::Status& why, const Regions& made)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  // Replaces the rows of `parents` by those of `children`, deletes their intent, and publishes.
  // Abandons the gates, or fails them if the write fails, since it may be on disk or not.
  absl::Status Commit(TableId table,
                      const RegionSet& before,
                      std::span<const size_t> parents,
                      Regions children,
                      ClosedGates* gates) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_);
  absl::Status DropFamilies(const RegionSet& before,
                            std::span<const size_t> parents,
                            const rocksdb::ColumnFamilyHandle* kept);
  absl::Status TrimRegion(TableId table, RegionId id, bool* is_clean);
  absl::Status WriteSystemRows(rocksdb::WriteBatch* batch);
  rocksdb::ColumnFamilyHandle* system_family() const;

  rocksdb::DB& db_;
  const RocksFamilies& families_;
  RocksRegions& regions_;
  RocksRecovery& recovery_;
  const std::vector<StoreObserver*> observers_;
  Mutex change_;  // one at a time
  bool has_last_id_ ABSL_GUARDED_BY(change_) = false;
  RegionId last_id_ ABSL_GUARDED_BY(change_);
};

}  // namespace hourcell
