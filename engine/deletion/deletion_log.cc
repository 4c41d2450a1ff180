#include "engine/deletion/deletion_log.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "engine/deletion/hidden_remover.h"
#include "engine/deletion/hidden_series_reader.h"
#include "engine/deletion/point_restorer.h"
#include "engine/rows/key_range.h"
#include "engine/rows/system_table.h"

// Why records and not copies of the points: a delete of 10^8 points would write them all. Why the
// sealer's lock guards every change of records: no row gets points meanwhile, so a point in a cell
// is older than the delete, and a point in memory is newer (docs/decisions/0038).

namespace hourcell {
namespace {

absl::Status UnknownDeletion(uint64_t id) {
  return absl::NotFoundError(fmt::format("deletion {}: not found; its time may be over", id));
}

Mutation WriteOf(const Layout& layout, Mutation::Kind kind, const DeletionRow& row) {
  Mutation write{.table = TableId::kSystem,
                 .kind = kind,
                 .key = DeletionKey(layout, row.id, row.metric),
                 .value = {}};
  if (kind == Mutation::Kind::kSet) write.value = DeletionValue(row);
  return write;
}

}  // namespace

absl::StatusOr<uint64_t> DeletionLog::Hide(const HiddenSelection& selection) {
  HOURCELL_DCHECK(selection.series() > 0);
  DeletionRow model;
  HOURCELL_RETURN_IF_ERROR(RaiseFormatForDeletions(parts_.hidden->stored()));
  const auto write = [&]() -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(model.id,
                              ReadNextDeletionId(parts_.hidden->stored()->Snapshot().get()));
    model.deleted_ms = std::max<int64_t>(parts_.clock->NowMs(), 0);
    model.until_ms = model.deleted_ms + parts_.undo_ms;
    return WriteRecords(selection, model);
  };
  HOURCELL_RETURN_IF_ERROR(parts_.sealer->WithCheckpoint(write));
  return model.id;
}

void DeletionLog::Unlist(const HiddenSelection& selection) const {
  if (parts_.unlister == nullptr) return;
  SeriesUnlister::Series series;
  for (const auto& [metric, selected] : selection.metrics()) {
    for (const auto& [number, tags] : selected.series)
      series[metric].push_back(number);
  }
  // After an error, lists have the series until the store is opened again.
  parts_.unlister->Unlist(std::move(series)).IgnoreError();
}

absl::Status DeletionLog::WriteRecords(const HiddenSelection& selection, const DeletionRow& model) {
  HiddenPoints::List list;
  if (const auto hidden = parts_.hidden->hidden(); hidden != nullptr) list = hidden->list();
  std::vector<Mutation> group;
  for (const auto& [metric, selected] : selection.metrics()) {
    DeletionRow row = model;
    row.metric = metric;
    row.start_ms = selected.start_ms;
    row.end_ms = selected.end_ms;
    std::vector<std::string> tags;
    for (const auto& [number, tags_of_one] : selected.series) {
      row.series.push_back(number);
      tags.push_back(tags_of_one);
    }
    group.push_back(WriteOf(layout(), Mutation::Kind::kSet, row));
    list.push_back(
        std::make_shared<const HiddenSeries>(HiddenSeries{.id = model.id,
                                                          .metric = metric,
                                                          .start_ms = row.start_ms,
                                                          .end_ms = row.end_ms,
                                                          .tags = TagsSet(std::move(tags))}));
  }
  group.push_back({TableId::kSystem, Mutation::Kind::kSet, DeletionCounterKey(),
                   DeletionCounterValue(model.id + 1)});
  HOURCELL_KILL_POINT("hide:before_records");
  HOURCELL_RETURN_IF_ERROR(parts_.hidden->stored()->Apply(group, /*sync=*/true));
  HOURCELL_KILL_POINT("hide:records");
  parts_.hidden->Hide(std::move(list));
  return absl::OkStatus();
}

// None in a store that cannot have any.
absl::StatusOr<std::vector<DeletionLog::Rows>> DeletionLog::AllById() const {
  if (!parts_.hidden->capabilities().Has(TableCapability::kAtomicGroups)) {
    return std::vector<Rows>();
  }
  HOURCELL_ASSIGN_OR_RETURN(Rows rows,
                            ReadDeletionRows(layout(), parts_.hidden->stored()->Snapshot().get()));
  std::vector<Rows> by_id;
  for (DeletionRow& row : rows) {
    if (by_id.empty() || by_id.back().front().id != row.id) by_id.emplace_back();
    by_id.back().push_back(std::move(row));
  }
  return by_id;
}

absl::StatusOr<DeletionLog::Rows> DeletionLog::RowsOf(uint64_t id) const {
  if (!parts_.hidden->capabilities().Has(TableCapability::kAtomicGroups)) {
    return absl::FailedPreconditionError(
        fmt::format("deletion {}: this storage removes deleted points at once", id));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Rows> all, AllById());
  const auto found = std::ranges::find_if(all, [id](const Rows& one) { return one[0].id == id; });
  if (found == all.end()) return UnknownDeletion(id);
  return std::move(*found);
}

absl::StatusOr<std::vector<Deletion>> DeletionLog::List() const {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Rows> all, AllById());
  std::vector<Deletion> list;
  for (const Rows& rows : all) {
    const DeletionRow& first = rows.front();
    Deletion& deletion = list.emplace_back();
    deletion.id = first.id;
    deletion.deleted_ms = first.deleted_ms;
    deletion.undo_until_ms = first.until_ms;
    deletion.end_ms = first.end_ms;
    deletion.can_be_undone = first.state == DeletionState::kHides;
    for (const DeletionRow& row : rows) {
      // Levels of rollups begin with an interval, which may be before the points.
      deletion.start_ms = std::max(deletion.start_ms, row.start_ms);
      deletion.series += row.series.size();
      absl::StatusOr<std::string> name = parts_.uids->NameOf(UidKind::kMetric, row.metric);
      if (!name.ok() && !absl::IsNotFound(name.status())) return name.status();
      deletion.metrics.push_back(name.ok() ? *std::move(name) : fmt::format("{:x}", row.metric));
    }
  }
  return list;
}

absl::Status DeletionLog::Undo(uint64_t id) {
  MutexLock work(&work_);
  Rows rows;
  const absl::Status undone = parts_.sealer->WithSealingPaused([&]() -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(rows, RowsOf(id));
    if (rows.front().state != DeletionState::kHides) {
      rows.clear();
      return absl::FailedPreconditionError(
          fmt::format("deletion {}: its points are being removed or restored already", id));
    }
    HOURCELL_RETURN_IF_ERROR(BeginUndo(id, &rows));
    return rows.front().state == DeletionState::kUndoing ? FinishUndo(rows) : absl::OkStatus();
  });
  ListAgain(std::move(rows));
  return undone;
}

// Also after an undo that failed: it may have brought back points.
void DeletionLog::ListAgain(Rows rows) const {
  if (parts_.unlister == nullptr || rows.empty()) return;
  SeriesUnlister::Series series;
  for (DeletionRow& row : rows)
    series[row.metric] = std::move(row.series);
  // After an error, lists have all series.
  parts_.unlister->ListAgain(series).IgnoreError();
}

// Then the delete hides nothing. Leaves it in kUndoing if points were taken out of rows.
absl::Status DeletionLog::BeginUndo(uint64_t id, Rows* rows) {
  HOURCELL_RETURN_IF_ERROR(MarkRollups(*rows));
  HOURCELL_ASSIGN_OR_RETURN(const bool has_taken_out, HasTakenOut(id));
  HOURCELL_KILL_POINT("undo:before");
  if (!has_taken_out) {
    HOURCELL_RETURN_IF_ERROR(DeleteRecords(*rows));
    HideWithout(id);
    return absl::OkStatus();
  }
  HOURCELL_RETURN_IF_ERROR(SetState(DeletionState::kUndoing, rows));
  HideWithout(id);
  HOURCELL_KILL_POINT("undo:begun");
  return absl::OkStatus();
}

// The levels of the hours do not have the points that come back.
absl::Status DeletionLog::MarkRollups(const Rows& rows) const {
  if (parts_.rollup_marks == nullptr) return absl::OkStatus();
  for (const DeletionRow& row : rows) {
    const RollupMark hours{.begin_s = kHourSpan.BaseS(row.start_ms),
                           .end_s = kHourSpan.EndS(kHourSpan.BaseS(row.end_ms)),
                           .series = 0};
    HOURCELL_RETURN_IF_ERROR(parts_.rollup_marks->MarkRange(row.metric, hours));
  }
  return absl::OkStatus();
}

// The delete hides nothing any more, and no cell is written.
absl::Status DeletionLog::FinishUndo(const Rows& rows) {
  PointRestorer restorer({.row_keys = parts_.row_keys,
                          .hidden = parts_.hidden,
                          .series = parts_.series,
                          .expiry = parts_.expiry});
  const absl::Status restored = restorer.Restore(rows.front().id);
  parts_.tables->ForgetDays();
  HOURCELL_RETURN_IF_ERROR(restored);
  HOURCELL_KILL_POINT("undo:restored");
  // An undo that failed before may be continued while levels are computed.
  HOURCELL_RETURN_IF_ERROR(MarkRollups(rows));
  return DeleteRecords(rows);
}

absl::Status DeletionLog::ContinueUndo() {
  MutexLock work(&work_);
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Rows> all, AllById());
  for (Rows& rows : all) {
    if (rows.front().state != DeletionState::kUndoing) continue;
    const absl::Status undone = parts_.sealer->WithSealingPaused([&] { return FinishUndo(rows); });
    ListAgain(std::move(rows));
    HOURCELL_RETURN_IF_ERROR(undone);
  }
  return absl::OkStatus();
}

absl::Status DeletionLog::Forget(uint64_t id) {
  MutexLock work(&work_);
  HOURCELL_ASSIGN_OR_RETURN(Rows rows, RowsOf(id));
  if (rows.front().state == DeletionState::kUndoing) {
    return absl::FailedPreconditionError(
        fmt::format("deletion {}: its points are being restored", id));
  }
  return Remove(std::move(rows));
}

absl::Status DeletionLog::RemoveDue() {
  HOURCELL_RETURN_IF_ERROR(ContinueUndo());
  MutexLock work(&work_);
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Rows> all, AllById());
  for (Rows& rows : all) {
    if (is_stopped_.load()) return absl::OkStatus();
    const bool is_due = rows.front().state != DeletionState::kHides ||
                        parts_.clock->NowMs() >= rows.front().until_ms;
    if (is_due) HOURCELL_RETURN_IF_ERROR(Remove(std::move(rows)));
  }
  return absl::OkStatus();
}

absl::Status DeletionLog::Remove(Rows rows) {
  const uint64_t id = rows.front().id;
  HiddenPoints::List hidden;
  for (const DeletionRow& row : rows) {
    HOURCELL_ASSIGN_OR_RETURN(std::shared_ptr<const HiddenSeries> of_metric,
                              HiddenSeriesOf(row, *parts_.series));
    hidden.push_back(std::move(of_metric));
  }
  HiddenRemover remover({.row_keys = parts_.row_keys,
                         .hidden = parts_.hidden,
                         .sealer = parts_.sealer,
                         .active = parts_.active,
                         .is_stopped = &is_stopped_});
  if (rows.front().state == DeletionState::kHides) {
    HOURCELL_RETURN_IF_ERROR(SetState(DeletionState::kRemoving, &rows));
    HOURCELL_KILL_POINT("remove:begun");
  }
  if (rows.front().state == DeletionState::kRemoving) {
    for (const std::shared_ptr<const HiddenSeries>& of_metric : hidden)
      HOURCELL_RETURN_IF_ERROR(remover.RemoveFromRows(of_metric));
    const auto end_hiding = [&]() -> absl::Status {
      HOURCELL_RETURN_IF_ERROR(SetState(DeletionState::kRemoved, &rows));
      HideWithout(id);
      return absl::OkStatus();
    };
    HOURCELL_RETURN_IF_ERROR(parts_.sealer->WithSealingPaused(end_hiding));
    HOURCELL_KILL_POINT("remove:removed");
  }
  HOURCELL_RETURN_IF_ERROR(remover.RemoveTakenOut(id, hidden));
  HOURCELL_RETURN_IF_ERROR(DeleteRecords(rows));
  if (parts_.dropper != nullptr) {
    for (const DeletionRow& row : rows)
      parts_.dropper->Add(row.metric);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> DeletionLog::HasTakenOut(uint64_t id) const {
  bool has = false;
  absl::Status damage;
  HOURCELL_RETURN_IF_ERROR(parts_.hidden->stored()->Snapshot()->Scan(
      TableId::kSystem, PrefixRange(HiddenRowsPrefix()),
      [&](std::string_view key, std::string_view /*cell*/) {
        const absl::StatusOr<HiddenRowKeyView> view = ParseHiddenRowKey(key);
        damage = view.status();
        has = view.ok() && view->id == id;
        return damage.ok() && !has;
      }));
  HOURCELL_RETURN_IF_ERROR(damage);
  return has;
}

absl::Status DeletionLog::SetState(DeletionState state, Rows* rows) {
  std::vector<Mutation> group;
  for (DeletionRow& row : *rows) {
    row.state = state;
    group.push_back(WriteOf(layout(), Mutation::Kind::kSet, row));
  }
  return parts_.hidden->stored()->Apply(group, /*sync=*/true);
}

absl::Status DeletionLog::DeleteRecords(const Rows& rows) {
  std::vector<Mutation> group;
  for (const DeletionRow& row : rows)
    group.push_back(WriteOf(layout(), Mutation::Kind::kDelete, row));
  return parts_.hidden->stored()->Apply(group, /*sync=*/true);
}

void DeletionLog::HideWithout(uint64_t id) {
  const std::shared_ptr<const HiddenPoints> hidden = parts_.hidden->hidden();
  if (hidden == nullptr) return;
  HiddenPoints::List list = hidden->list();
  std::erase_if(list,
                [id](const std::shared_ptr<const HiddenSeries>& one) { return one->id == id; });
  parts_.hidden->Hide(std::move(list));
}

}  // namespace hourcell
