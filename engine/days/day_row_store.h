// DayRowStore: a store of tables in which the rest of the engine sees the rows of hours alone, and
// which keeps hours with few points in rows of their day.
//
//   engine      rows of hours                     DayRowStore
//   storage     rows of hours and rows of days    the engine's TableStore
//
// Most of the engine needs nothing else. Queries read rows of days as they are, through
// TableView::stored(), and so do the parts that look after files and regions.
//
// A store without rows of days is read and written as it is: the row `day_rows` of the system table
// says whether it may have some. The first write of one writes it before, synced.
//
// Thread-safe; Open is called once, before other threads use the store.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/row_key.h"
#include "engine/days/day_writes.h"
#include "engine/table/table_store.h"

namespace hourcell {

class DayRowStore final : public TableStore {
 public:
  explicit DayRowStore(std::unique_ptr<TableStore> stored) : stored_(std::move(stored)) {}

  // Until it is opened, the store is as stored. `row_keys` is borrowed. Hours with fewer points
  // than `points_max` share rows; 0: none. kDataLoss: the system table's row does not decode.
  absl::Status Open(const RowKeyCodec* row_keys, uint32_t points_max);

  // Called once, after the first row of a day: other processes that read the store must read again
  // whether it has such rows (ReadAgain).
  void SetNote(std::function<absl::Status()> note) { note_ = std::move(note); }
  absl::Status ReadAgain();

  // Called after each ApplyUnlogged of merges into the data table, with the rows as they were
  // written: those of days instead of their hours. Set before other threads use the store.
  void SetMerged(std::function<void(std::span<const Mutation> rows)> merged) {
    merged_ = std::move(merged);
  }

  // The key of the row that is likely to get the points of an hour: the row of the day if the
  // latest row of its metric was one, else the row of the hour.
  std::string LikelyKeyOf(std::string hour_key);

  // Rows of hours were written to the storage in another way.
  void ForgetDays() {
    if (writes_.has_value()) writes_->ForgetDays();
  }

  bool has_day_rows() const { return has_days_.load(std::memory_order_acquire); }

  // Tables.
  absl::Status Apply(std::span<const Mutation> group, bool sync) override;
  absl::Status ApplyAtOnce(std::span<const Mutation> group, bool sync) override;
  absl::Status ApplyUnlogged(std::span<const Mutation> group) override;
  bool IsLagging(TableId table, std::string_view key) override;
  absl::Status CheckWritten() override { return stored_->CheckWritten(); }
  absl::Status Sync() override { return stored_->Sync(); }
  std::unique_ptr<TableView> Snapshot() override;
  std::unique_ptr<TableView> SnapshotInMemory() override;
  std::unique_ptr<TableView> SnapshotWithHidden() override;

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
  using ApplyGroup = std::function<absl::Status(std::span<const Mutation> group)>;

  absl::Status Write(std::span<const Mutation> group, const ApplyGroup& apply);
  absl::Status BeginDays();
  std::unique_ptr<TableView> Show(std::unique_ptr<TableView> view) const;

  const std::unique_ptr<TableStore> stored_;
  size_t base_time_at_ = 0;
  std::optional<DayWrites> writes_;  // null: not open
  uint32_t points_max_ = 0;
  std::function<absl::Status()> note_;
  std::function<void(std::span<const Mutation>)> merged_;  // may be empty
  std::atomic<bool> has_days_{false};
  std::atomic<bool> is_noted_{false};
};

}  // namespace hourcell
