#include "engine/undo/rename_log.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/rows/deletion_row.h"

namespace hourcell {

absl::Status RenameLog::Rename(UidKind kind,
                               std::string_view name,
                               std::string_view new_name,
                               const RenameCall& rename) {
  MutexLock work(&work_);
  if (parts_.undo_ms == 0) return rename(name, new_name);
  const absl::StatusOr<std::optional<Uid>> uid = parts_.uids->Find(kind, name);
  // The rename is refused.
  if (!uid.ok() || !uid->has_value() || new_name.empty()) return rename(name, new_name);
  RenameRow row{
      .kind = kind, .uid = **uid, .old_name = std::string(name), .new_name = std::string(new_name)};
  HOURCELL_RETURN_IF_ERROR(Record(&row));
  HOURCELL_KILL_POINT("rename:recorded");
  const absl::Status renamed = rename(name, new_name);
  if (!renamed.ok()) {
    // Its undo would be refused; its time ends, too.
    Remove(row.id).IgnoreError();
    return renamed;
  }
  HOURCELL_KILL_POINT("rename:renamed");
  return absl::OkStatus();
}

absl::Status RenameLog::Record(RenameRow* row) {
  return parts_.alone([&]() -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(row->id, ReadNextDeletionId(parts_.tables->Snapshot().get()));
    row->renamed_ms = std::max<int64_t>(parts_.clock->NowMs(), 0);
    row->until_ms = row->renamed_ms + parts_.undo_ms;
    const Mutation group[] = {
        {TableId::kSystem, Mutation::Kind::kSet, RenameRowKey(row->id), RenameRowValue(*row)},
        {TableId::kSystem, Mutation::Kind::kSet, DeletionCounterKey(),
         DeletionCounterValue(row->id + 1)}};
    return parts_.tables->Apply(group, /*sync=*/true);
  });
}

// None in a store that cannot have any.
absl::StatusOr<std::vector<RenameRow>> RenameLog::List() const {
  if (!parts_.has_records) return std::vector<RenameRow>();
  return ReadRenameRows(parts_.tables->Snapshot().get());
}

absl::StatusOr<RenameRow> RenameLog::Find(uint64_t id) const {
  HOURCELL_ASSIGN_OR_RETURN(std::vector<RenameRow> rows, List());
  const auto found = std::ranges::find(rows, id, &RenameRow::id);
  if (found == rows.end()) {
    return absl::NotFoundError(fmt::format("change {}: not found; its time may be over", id));
  }
  return std::move(*found);
}

absl::Status RenameLog::CheckMayUndo(const RenameRow& row) const {
  const auto refuse = [&row](std::string_view fault) {
    return absl::FailedPreconditionError(fmt::format("change {}: {}", row.id, fault));
  };
  const absl::StatusOr<std::string> name = parts_.uids->NameOf(row.kind, row.uid);
  if (!name.ok() && !absl::IsNotFound(name.status())) return name.status();
  if (!name.ok() || *name != row.new_name) {
    return refuse(fmt::format("expected the {} to have the name {}, got {}", KindName(row.kind),
                              QuoteForMessage(row.new_name),
                              name.ok() ? QuoteForMessage(*name) : "none"));
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> other,
                            parts_.uids->Find(row.kind, row.old_name));
  if (!other.has_value()) return absl::OkStatus();
  return refuse(fmt::format("another of the {} has the name {} now", KindName(row.kind),
                            QuoteForMessage(row.old_name)));
}

absl::Status RenameLog::Undo(uint64_t id, const std::function<RenameCall(UidKind kind)>& rename) {
  MutexLock work(&work_);
  HOURCELL_ASSIGN_OR_RETURN(const RenameRow row, Find(id));
  HOURCELL_RETURN_IF_ERROR(CheckMayUndo(row));
  HOURCELL_RETURN_IF_ERROR(rename(row.kind)(row.new_name, row.old_name));
  HOURCELL_KILL_POINT("rename:undone");
  return Remove(id);
}

absl::Status RenameLog::Remove(uint64_t id) {
  const Mutation removal{TableId::kSystem, Mutation::Kind::kDelete, RenameRowKey(id), {}};
  return parts_.tables->Apply({&removal, 1}, /*sync=*/true);
}

absl::Status RenameLog::Forget(uint64_t id) {
  MutexLock work(&work_);
  HOURCELL_RETURN_IF_ERROR(Find(id).status());
  return Remove(id);
}

absl::Status RenameLog::RemoveDue() {
  MutexLock work(&work_);
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RenameRow> rows, List());
  for (const RenameRow& row : rows)
    if (parts_.clock->NowMs() >= row.until_ms) HOURCELL_RETURN_IF_ERROR(Remove(row.id));
  return absl::OkStatus();
}

}  // namespace hourcell
