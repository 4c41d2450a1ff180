// MemTableStore: the TableStore in memory, on std::map, for tests and as the second implementation
// that keeps the interface honest. Views copy the maps, so they are as frozen as RocksDB's
// snapshots.

#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "codec/base/mutex.h"
#include "engine/table/table_store.h"

namespace hourcell {

class MemTableStore : public TableStore, public RegionStore {
 public:
  using Rows = std::array<std::map<std::string, std::string>, std::size(kTableIds)>;

  MemTableStore();

  // It stores nothing on disk.
  TableCapabilities capabilities() const override {
    return {TableCapability::kOrderedScans, TableCapability::kMergeOperands,
            TableCapability::kSnapshots, TableCapability::kAtomicGroups,
            TableCapability::kByteCounts};
  }

  absl::Status Apply(std::span<const Mutation> group, bool sync) override;
  absl::Status ApplyAtOnce(std::span<const Mutation> group, bool sync) override;
  absl::Status Sync() override;
  std::unique_ptr<TableView> Snapshot() override;
  // Prefers a read of each row alone, as RocksDB's does.
  std::unique_ptr<TableView> SnapshotInMemory() override;
  absl::Status ApplyUnlogged(std::span<const Mutation> group) override {
    return Apply(group, /*sync=*/false);
  }
  RegionStore* regions() override { return this; }
  absl::Status Presplit(TableId table, const RegionCut& cut) override;
  absl::Status Split(TableId table, const RegionCut& cut) override;
  absl::Status MergeRegions(TableId table, std::span<const RegionId> ids) override;
  bool IsLagging(TableId table, std::string_view /*key*/) override {
    return lagging_.load() == table;
  }
  absl::StatusOr<bool> TrimRegions(TableId /*table*/) override { return false; }
  absl::Status WithRegionsAtRest(const std::function<absl::Status()>& work) override {
    return work();
  }
  std::vector<RegionInfo> Regions(TableId table) override;
  absl::StatusOr<std::vector<RegionUse>> RegionUses(TableId table) override;
  absl::StatusOr<uint64_t> ApproximateBytes(TableId table, const ScanRange& range) override;
  absl::StatusOr<RegionProbe> ProbeRegion(TableId table, RegionId id) override;
  absl::Status Flush(TableId table) override;
  absl::Status Compact(TableId table, std::atomic<bool>* /*cancelled*/) override {
    return Flush(table);
  }
  void SetExpiry(const RowExpiry* expiry) override { expiry_ = expiry; }
  absl::StatusOr<uint64_t> DropExpired() override;
  absl::Status Close() override;

  // The next `count` Applies fail with kUnavailable and change nothing.
  void FailApplies(int count) { failing_applies_ = count; }

  // Makes this table refuse rows for now; nothing: all tables accept them.
  void SetLagging(std::optional<TableId> table) { lagging_ = table; }

  // The next `count` ApplyAtOnces meet a region that lags, although IsLagging returned false.
  void LagAtOnce(int count) { lags_at_once_ = count; }

  // Called by each Apply before it does anything. Set it while no Apply runs.
  void OnApply(std::function<void()> call) { on_apply_ = std::move(call); }

  // Rows that Get, GetMany and Scan found so far.
  uint64_t rows_read() const { return *rows_read_; }

 private:
  void CutRegion(size_t index, const RegionCut& cut, std::vector<RegionInfo>* regions)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t BytesBetween(TableId table, std::string_view start, std::string_view end)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  Rows tables_ ABSL_GUARDED_BY(mutex_);
  // Ascending by start.
  std::array<std::vector<RegionInfo>, std::size(kTableIds)> regions_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_region_id_ ABSL_GUARDED_BY(mutex_) = 1;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = true;
  std::atomic<int> failing_applies_{0};
  std::atomic<int> lags_at_once_{0};
  std::atomic<const RowExpiry*> expiry_{nullptr};
  std::atomic<std::optional<TableId>> lagging_{std::nullopt};
  std::function<void()> on_apply_;
  const std::shared_ptr<std::atomic<uint64_t>> rows_read_ =
      std::make_shared<std::atomic<uint64_t>>(0);  // views may outlive the store
};

}  // namespace hourcell
