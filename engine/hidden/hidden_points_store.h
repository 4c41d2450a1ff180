// HiddenPointsStore: a store of tables in which the rest of the engine does not see the points that
// deletes hide. It is between the storage and engine/days, so rows of hours and of days are alike:
//
//   engine               rows of hours without hidden points
//   DayRowStore          rows of hours and days without hidden points
//   HiddenPointsStore    rows with hidden points, and keys 'U' (engine/rows/deletion_row.h)
//   storage
//
// Reads leave hidden points out. A write of a row that has some takes them out of the row first, in
// one group with the write (hidden_writes.h). Without deletes, each read and write costs one atomic
// load more.
//
// Thread-safe; Open is called once, before other threads use the store. REQUIRES: one write of the
// data table at a time while deletes hide points (Sealer::WithSealingPaused), and atomic groups.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/rows/row_key.h"
#include "engine/hidden/hidden_points.h"
#include "engine/table/table_store.h"

namespace hourcell {

class HiddenPointsStore final : public TableStore {
 public:
  explicit HiddenPointsStore(std::unique_ptr<TableStore> stored) : stored_(std::move(stored)) {}

  // Until it is opened, nothing is hidden. `row_keys` is borrowed.
  void Open(const RowKeyCodec* row_keys);

  // From now on, hides the points of these series, and no others. Views that exist stay as they
  // are. The records of the deletes are in the table before. REQUIRES: opened.
  void Hide(HiddenPoints::List list);

  // The points that are hidden now; null: none.
  std::shared_ptr<const HiddenPoints> hidden() const;

  // The tables as they are stored, for the parts that undo deletes and remove hidden points.
  TableStore* stored() const { return stored_.get(); }

  // Tables.
  absl::Status Apply(std::span<const Mutation> group, bool sync) override;
  absl::Status ApplyAtOnce(std::span<const Mutation> group, bool sync) override;
  absl::Status ApplyUnlogged(std::span<const Mutation> group) override;
  bool IsLagging(TableId table, std::string_view key) override {
    return stored_->IsLagging(table, key);
  }
  absl::Status CheckWritten() override { return stored_->CheckWritten(); }
  absl::Status Sync() override { return stored_->Sync(); }
  std::unique_ptr<TableView> Snapshot() override;
  std::unique_ptr<TableView> SnapshotInMemory() override;
  std::unique_ptr<TableView> SnapshotWithHidden() override { return stored_->Snapshot(); }

  // The others, as stored.
  absl::StatusOr<std::vector<RegionUse>> RegionUses(TableId table) override {
    return stored_->RegionUses(table);
  }
  absl::StatusOr<uint64_t> ApproximateBytes(TableId table, const ScanRange& range) override {
    return stored_->ApproximateBytes(table, range);
  }
  absl::Status Flush(TableId table) override { return stored_->Flush(table); }
  absl::Status Compact(TableId table, std::atomic<bool>* cancelled) override {
    return stored_->Compact(table, cancelled);
  }
  void SetExpiry(const RowExpiry* expiry) override { stored_->SetExpiry(expiry); }
  absl::StatusOr<uint64_t> DropExpired() override { return stored_->DropExpired(); }
  absl::StatusOr<std::unique_ptr<PinnedFiles>> PinFiles() override { return stored_->PinFiles(); }
  absl::Status Close() override { return stored_->Close(); }
  TableCapabilities capabilities() const override { return stored_->capabilities(); }
  RegionStore* regions() override { return stored_->regions(); }

 private:
  // The writes of rows with hidden points, and the others; both empty: the group as it is.
  struct DividedGroup {
    std::vector<Mutation> changed;
    std::vector<Mutation> others;
  };

  absl::StatusOr<DividedGroup> Divide(std::span<const Mutation> group) const;
  std::unique_ptr<TableView> Show(
      const std::function<std::unique_ptr<TableView>()>& take_view) const;

  const std::unique_ptr<TableStore> stored_;
  const RowKeyCodec* row_keys_ = nullptr;
  std::atomic<bool> hides_any_{false};
  mutable Mutex mutex_;
  std::shared_ptr<const HiddenPoints> hidden_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
