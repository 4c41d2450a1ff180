// Open regions: the column family of each, and the set of a table's regions at one moment.
//
// A RegionSet is immutable and is held by a pointer; a split or merge replaces it by another. A
// reader with the old set keeps reading its regions; their files stay as long as the reader has it.
//
//   write   look up -> enter each region's gate -> is one gone? then again -> write -> leave
//   split   close the parent's gate -> ... -> publish the new set -> abandon the gate
//
// A write is inside the gates of all its regions at once, and enters them in the order of tables
// and keys. A split or merge closes the gates of its parents in the same order, and waits for
// nothing else that a write holds. So they cannot deadlock.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/db.h>

#include "codec/base/mutex.h"
#include "engine/regions/region_map.h"
#include "engine/rocks/regions/region_backlog.h"
#include "engine/rocks/regions/region_gate.h"
#include "engine/rocks/regions/rocks_region_filter.h"
#include "engine/table/table.h"

namespace hourcell {

// Thread-safe.
class RocksRegion {
 public:
  // Takes ownership of the handle. `db` outlives it. `bounds` are those of the family's filter.
  RocksRegion(rocksdb::DB* db,
              rocksdb::ColumnFamilyHandle* family,
              std::shared_ptr<RegionBounds> bounds)
      : db_(db), family_(family), bounds_(std::move(bounds)) {}
  ~RocksRegion();
  RocksRegion(const RocksRegion&) = delete;
  RocksRegion& operator=(const RocksRegion&) = delete;

  rocksdb::ColumnFamilyHandle* family() const { return family_; }
  RegionBounds* bounds() { return bounds_.get(); }
  // Each write to the family enters it.
  RegionGate* gate() { return &gate_; }

  // True if the region refuses rows for now. Reads the family's state at most once in 5 ms.
  bool IsLagging();
  RegionBacklog* backlog() { return &backlog_; }

  // Rows read since the region was opened.
  void CountRead(uint64_t rows) { read_.fetch_add(rows, std::memory_order_relaxed); }
  uint64_t rows_read() const { return read_.load(std::memory_order_relaxed); }

 private:
  rocksdb::DB* const db_;
  rocksdb::ColumnFamilyHandle* const family_;
  const std::shared_ptr<RegionBounds> bounds_;
  RegionGate gate_;
  RegionBacklog backlog_;
  std::atomic<uint64_t> read_{0};
  std::atomic<int64_t> next_look_ms_{0};  // of the steady clock
};

// Immutable, but for the regions' gates.
class RegionSet {
 public:
  // Makes a set of open regions and their catalogue entries, in any order. kInvalidArgument: they
  // do not tile the table.
  static absl::StatusOr<std::shared_ptr<const RegionSet>> Make(
      std::vector<std::pair<RegionInfo, std::shared_ptr<RocksRegion>>> regions);

  // For Make, which checks them: `regions` in the order of the map.
  RegionSet(RegionMap map, std::vector<std::shared_ptr<RocksRegion>> regions)
      : map_(std::move(map)), regions_(std::move(regions)) {}

  const RegionMap& map() const { return map_; }
  size_t size() const { return regions_.size(); }
  const RegionInfo& info(size_t i) const { return map_.regions()[i]; }
  const std::shared_ptr<RocksRegion>& region(size_t i) const { return regions_[i]; }
  rocksdb::ColumnFamilyHandle* family(size_t i) const { return regions_[i]->family(); }
  // The index of the region that has `key`.
  size_t Find(std::string_view key) const { return regions_.size() == 1 ? 0 : map_.Find(key); }

 private:
  const RegionMap map_;
  const std::vector<std::shared_ptr<RocksRegion>> regions_;  // in the order of map_
};

// The regions of all tables, by TableId.
using RegionSets = std::array<std::shared_ptr<const RegionSet>, std::size(kTableIds)>;

// The current regions. Thread-safe.
class RocksRegions {
 public:
  explicit RocksRegions(RegionSets sets)
      : sets_(std::make_shared<const RegionSets>(std::move(sets))) {}

  std::shared_ptr<const RegionSets> Current() const;
  void Replace(TableId table, std::shared_ptr<const RegionSet> set);
  // Releases all regions, so that the database can be closed.
  void Clear();

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const RegionSets> sets_ ABSL_GUARDED_BY(mutex_);
};

// Keeps a group of mutations inside the gates of its regions, until the end of scope.
class RegionEntry {
 public:
  // The longest wait of a group for a region that lags.
  static constexpr int64_t kLaggingMsMax = 10'000;

  // Finds the regions, waits while one lags, and enters their gates; repeats this if one is gone.
  RegionEntry(const RocksRegions& regions,
              std::span<const Mutation> group,
              int64_t wait_ms = kLaggingMsMax);
  ~RegionEntry() { Leave(); }
  RegionEntry(const RegionEntry&) = delete;
  RegionEntry& operator=(const RegionEntry&) = delete;

  // kUnavailable: a region is closed until the store is opened again, or lagged during `wait_ms`.
  // kAborted: a region lags, and `wait_ms` is 0.
  const absl::Status& status() const { return status_; }
  // The family of the i-th mutation.
  rocksdb::ColumnFamilyHandle* family(size_t i) const { return families_[i]; }

 private:
  // A region of the group.
  struct Place {
    size_t table = 0;
    size_t region = 0;
    uint64_t rows = 0;  // of the group
  };

  void FindPlaces(std::span<const Mutation> group);
  const Place* FindLagging() const;
  RocksRegion& RegionAt(const Place& place) const;
  // False if a region is gone.
  bool TryEnter();
  void Leave();

  absl::Status status_;
  std::shared_ptr<const RegionSets> sets_;  // keeps the regions
  std::vector<Place> places_;               // ascending
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  std::vector<RegionGate*> entered_;
};

}  // namespace hourcell
