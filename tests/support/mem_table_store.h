// MemTableStore: the TableStore in memory, on std::map, for tests and as the second implementation
// that keeps the interface honest. Views copy the maps, so they are as frozen as RocksDB's
// snapshots.

#pragma once

#include <array>
#include <atomic>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "codec/base/mutex.h"
#include "engine/table.h"

namespace hourcell {

class MemTableStore : public TableStore {
 public:
  using Tables = std::array<std::map<std::string, std::string>, std::size(kTableIds)>;

  absl::Status Apply(std::span<const Mutation> group, bool sync) override;
  absl::Status Sync() override;
  std::unique_ptr<TableView> Snapshot() override;
  absl::StatusOr<uint64_t> Increment(TableId table, std::string_view key, uint64_t delta) override;
  absl::StatusOr<bool> CompareAndSet(TableId table,
                                     std::string_view key,
                                     std::optional<std::string_view> expected,
                                     std::string_view value) override;
  absl::StatusOr<std::vector<std::string>> SplitPoints(TableId table) override;
  absl::Status ApplyUnlogged(std::span<const Mutation> group) override {
    return Apply(group, /*sync=*/false);
  }
  absl::Status Presplit(TableId table, std::span<const std::string> keys) override;
  absl::Status Split(TableId table, std::string_view key) override;
  absl::StatusOr<bool> TrimRegions(TableId /*table*/) override { return false; }
  std::vector<RegionInfo> Regions(TableId table) override;
  absl::Status Flush(TableId table) override;
  absl::Status Compact(TableId table) override { return Flush(table); }
  void SetExpiry(const RowExpiry* expiry) override { expiry_ = expiry; }
  absl::StatusOr<uint64_t> DropExpired() override;
  absl::Status Close() override;

  // The next `count` Applies fail with kUnavailable and change nothing.
  void FailApplies(int count) { failing_applies_ = count; }

 private:
  Mutex mutex_;
  Tables tables_ ABSL_GUARDED_BY(mutex_);
  std::array<std::vector<std::string>, std::size(kTableIds)> split_keys_ ABSL_GUARDED_BY(mutex_);
  bool is_open_ ABSL_GUARDED_BY(mutex_) = true;
  std::atomic<int> failing_applies_{0};
  std::atomic<const RowExpiry*> expiry_{nullptr};
};

}  // namespace hourcell
