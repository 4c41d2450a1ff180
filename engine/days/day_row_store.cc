#include "engine/days/day_row_store.h"

#include <algorithm>
#include <string>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/days/hour_place.h"
#include "engine/days/hours_view.h"
#include "engine/rows/system_table.h"

// Why a store around the storage's, and not rows of days in each reader: scans, deletes, checks,
// the index of active series and the way back to OpenTSDB are about the points of hours. They stay
// as they are, and cannot forget a day's row. Only queries, for which days are faster, know both.

namespace hourcell {
namespace {

bool IsMergeOfPoints(const Mutation& write) {
  return write.table == TableId::kData && write.kind == Mutation::Kind::kMerge;
}

}  // namespace

absl::Status DayRowStore::Open(const RowKeyCodec* row_keys, uint32_t points_max) {
  HOURCELL_CHECK(!writes_.has_value());
  base_time_at_ = row_keys->base_time_offset();
  points_max_ = points_max;
  writes_.emplace(row_keys, stored_.get(), points_max);
  return ReadAgain();
}

absl::Status DayRowStore::ReadAgain() {
  if (has_day_rows()) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const bool has_days, ReadHasDayRows(stored_.get()));
  if (has_days) {
    is_noted_.store(true);
    has_days_.store(true, std::memory_order_release);
  }
  return absl::OkStatus();
}

absl::Status DayRowStore::Apply(std::span<const Mutation> group, bool sync) {
  return Write(group, [this, sync](std::span<const Mutation> changed) {
    return stored_->Apply(changed, sync);
  });
}

absl::Status DayRowStore::ApplyAtOnce(std::span<const Mutation> group, bool sync) {
  return Write(group, [this, sync](std::span<const Mutation> changed) {
    return stored_->ApplyAtOnce(changed, sync);
  });
}

absl::Status DayRowStore::ApplyUnlogged(std::span<const Mutation> group) {
  return Write(group, [this](std::span<const Mutation> changed) {
    HOURCELL_RETURN_IF_ERROR(stored_->ApplyUnlogged(changed));
    if (merged_ && std::ranges::all_of(changed, IsMergeOfPoints)) merged_(changed);
    return absl::OkStatus();
  });
}

std::string DayRowStore::LikelyKeyOf(std::string hour_key) {
  if (!writes_.has_value() || !writes_->IsLikelyShared(hour_key)) return hour_key;
  return DayKeyOf(hour_key, base_time_at_);
}

absl::Status DayRowStore::Write(std::span<const Mutation> group, const ApplyGroup& apply) {
  if (!writes_.has_value() || writes_->LeavesAsIs(group, has_day_rows())) return apply(group);
  std::vector<Mutation> changed;
  bool writes_day = false;
  HOURCELL_RETURN_IF_ERROR(writes_->Translate(group, has_day_rows(), &changed, &writes_day));
  if (writes_day) HOURCELL_RETURN_IF_ERROR(BeginDays());
  return changed.empty() ? apply(group) : apply(changed);
}

// Before the first row of a day.
absl::Status DayRowStore::BeginDays() {
  if (!has_day_rows()) {
    HOURCELL_RETURN_IF_ERROR(WriteHasDayRows(stored_.get()));
    has_days_.store(true, std::memory_order_release);
  }
  if (!is_noted_.load()) {
    if (note_) HOURCELL_RETURN_IF_ERROR(note_());
    is_noted_.store(true);
  }
  return absl::OkStatus();
}

bool DayRowStore::IsLagging(TableId table, std::string_view key) {
  if (stored_->IsLagging(table, key)) return true;
  const bool may_share =
      points_max_ > 0 && table == TableId::kData && key.size() >= base_time_at_ + kTimeFieldBytes;
  return may_share && stored_->IsLagging(table, DayKeyOf(key, base_time_at_));
}

std::unique_ptr<TableView> DayRowStore::Snapshot() {
  // In this order: a row of a day is never in a view that does not show it.
  std::unique_ptr<TableView> view = stored_->Snapshot();
  return Show(std::move(view));
}

std::unique_ptr<TableView> DayRowStore::SnapshotInMemory() {
  std::unique_ptr<TableView> view = stored_->SnapshotInMemory();
  return Show(std::move(view));
}

std::unique_ptr<TableView> DayRowStore::SnapshotWithHidden() {
  std::unique_ptr<TableView> view = stored_->SnapshotWithHidden();
  return Show(std::move(view));
}

std::unique_ptr<TableView> DayRowStore::Show(std::unique_ptr<TableView> view) const {
  if (!has_day_rows()) return view;
  return std::make_unique<HoursView>(base_time_at_, std::move(view));
}

}  // namespace hourcell
