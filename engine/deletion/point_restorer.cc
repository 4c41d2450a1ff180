#include "engine/deletion/point_restorer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "engine/days/hour_place.h"
#include "engine/hidden/hidden_cell.h"
#include "engine/rows/deletion_row.h"
#include "engine/rows/key_range.h"
#include "engine/series/active_sets.h"

namespace hourcell {
namespace {

// Rows of one group; keys 'U' that are looked at for one.
constexpr size_t kRestoredRowsAtOnce = 256;
constexpr size_t kLookedAtAtOnce = 65'536;

Mutation SystemWrite(Mutation::Kind kind, std::string key, std::string value) {
  return {
      .table = TableId::kSystem, .kind = kind, .key = std::move(key), .value = std::move(value)};
}

}  // namespace

absl::Status PointRestorer::Restore(uint64_t id) {
  HOURCELL_DCHECK(parts_.hidden->hidden() == nullptr || !parts_.hidden->hidden()->Has(id));
  id_ = id;
  HOURCELL_RETURN_IF_ERROR(RestoreRows(/*of_days=*/false));
  return RestoreRows(/*of_days=*/true);
}

absl::Status PointRestorer::RestoreRows(bool of_days) {
  std::string at = HiddenRowsPrefix();
  for (bool is_done = false; !is_done;) {
    const std::unique_ptr<TableView> view = parts_.hidden->stored()->Snapshot();
    const std::unique_ptr<RowCursor> row =
        view->NewCursor(TableId::kSystem, PrefixRange(HiddenRowsPrefix()));
    std::vector<Mutation> group;
    size_t restored = 0;
    size_t looked_at = 0;
    for (row->Seek(at); row->valid(); row->Next()) {
      HOURCELL_ASSIGN_OR_RETURN(const HiddenRowKeyView key, ParseHiddenRowKey(row->key()));
      at = AfterKey(row->key());
      ++looked_at;
      const bool is_of_day = IsDayKey(key.row_key, parts_.row_keys->base_time_offset());
      if (key.id == id_ && is_of_day == of_days) {
        HOURCELL_RETURN_IF_ERROR(RestoreRow(key.row_key, row->value(), view.get(), &group));
        group.push_back(SystemWrite(Mutation::Kind::kDelete, std::string(row->key()), {}));
        ++restored;
      }
      if (restored >= kRestoredRowsAtOnce || looked_at >= kLookedAtAtOnce) break;
    }
    HOURCELL_RETURN_IF_ERROR(row->status());
    is_done = !row->valid();
    if (group.empty()) continue;
    HOURCELL_RETURN_IF_ERROR(parts_.hidden->stored()->Apply(group, /*sync=*/false));
    HOURCELL_KILL_POINT("undo:rows_restored");
  }
  return absl::OkStatus();
}

absl::Status PointRestorer::RestoreRow(std::string_view row_key,
                                       std::string_view cell,
                                       TableView* view,
                                       std::vector<Mutation>* group) {
  if (cell.empty()) return absl::OkStatus();
  // Expired points do not come back: their series may be gone.
  if (parts_.expiry != nullptr && RowExpiry::Pass(*parts_.expiry).IsExpired(row_key)) {
    return absl::OkStatus();
  }
  HOURCELL_ASSIGN_OR_RETURN(const RowKeyView parsed, parts_.row_keys->ParseStored(row_key));
  std::string left(cell);
  HOURCELL_RETURN_IF_ERROR(GiveToLaterDeletes(row_key, view, &left, group));
  if (left.empty()) return absl::OkStatus();
  return MergeUnderRow(parsed, row_key, std::move(left), view, group);
}

// Removes from `*cell` the points that a later delete, which has taken its points out of the row as
// well, hides. If such a delete has not, it hides them in the row.
absl::Status PointRestorer::GiveToLaterDeletes(std::string_view row_key,
                                               TableView* view,
                                               std::string* cell,
                                               std::vector<Mutation>* group) const {
  const std::shared_ptr<const HiddenPoints> hidden = parts_.hidden->hidden();
  if (hidden == nullptr) return absl::OkStatus();
  std::vector<HiddenPart> parts;
  hidden->FindParts(row_key, &parts);
  std::vector<HiddenPart> later;
  std::vector<std::string> theirs;
  for (const HiddenPart& part : parts) {
    if (part.id <= id_) continue;
    HOURCELL_ASSIGN_OR_RETURN(std::optional<std::string> of_part,
                              view->Get(TableId::kSystem, HiddenRowKey(row_key, part.id)));
    if (!of_part.has_value()) continue;
    later.push_back(part);
    theirs.push_back(*std::move(of_part));
  }
  const std::optional<DividedCell> divided = DivideCell(*cell, later);
  if (!divided.has_value() || divided->hidden.empty()) return absl::OkStatus();
  for (size_t i = 0; i < later.size(); ++i) {
    const auto given = divided->hidden.find(later[i].id);
    if (given == divided->hidden.end()) continue;
    std::string older;
    AppendCellLike(*cell, given->second, &older);
    std::string merged = older;
    if (!theirs[i].empty()) {
      const std::string_view newer[] = {theirs[i]};
      MergeCells(older, newer, &merged);
    }
    group->push_back(
        SystemWrite(Mutation::Kind::kSet, HiddenRowKey(row_key, later[i].id), std::move(merged)));
  }
  std::string left;
  if (divided->left.size() > 0) AppendCellLike(*cell, divided->left, &left);
  *cell = std::move(left);
  return absl::OkStatus();
}

absl::Status PointRestorer::MergeUnderRow(const RowKeyView& parsed,
                                          std::string_view row_key,
                                          std::string cell,
                                          TableView* view,
                                          std::vector<Mutation>* group) const {
  std::string tsuid;
  RowKeyCodec::AppendTsuid(parsed, &tsuid);
  HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, parts_.series->NumberOf(tsuid));
  if (number == 0) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                            view->Get(TableId::kData, row_key));
  if (!row.has_value() && parsed.span == kHourSpan) {
    HOURCELL_RETURN_IF_ERROR(RemoveNewerOfDay(row_key, view, &cell));
    if (cell.empty()) return absl::OkStatus();
  }
  Mutation write{.table = TableId::kData,
                 .kind = Mutation::Kind::kSet,
                 .key = std::string(row_key),
                 .value = {}};
  if (row.has_value()) {
    const std::string_view newer[] = {*row};
    MergeCells(cell, newer, &write.value);
  } else {
    write.value = std::move(cell);
  }
  // A delete without undo may have emptied the day meanwhile.
  const Uid metric = LoadBigEndian(parsed.metric.data(), parsed.metric.size());
  AppendActiveSet(parts_.row_keys->layout(), metric, DayOf(parsed.base_time_s), {number}, group);
  group->push_back(std::move(write));
  return absl::OkStatus();
}

// Removes from the cell of an hour without a row the instants that the day's row has in that hour,
// if it got points after the delete. The row of an hour counts as newer than that of its day
// (engine/days/day_writes.h), but the day's row got these while the hour's was gone.
absl::Status PointRestorer::RemoveNewerOfDay(std::string_view hour_key,
                                             TableView* view,
                                             std::string* cell) const {
  const size_t at = parts_.row_keys->base_time_offset();
  const std::string day_key = DayKeyOf(hour_key, at);
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> taken_out,
                            view->Get(TableId::kSystem, HiddenRowKey(day_key, id_)));
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> day,
                            view->Get(TableId::kData, day_key));
  if (!taken_out.has_value() || !day.has_value()) return absl::OkStatus();
  CellColumns of_day;
  const uint32_t hour = HourOfDay(TimeFieldOf(hour_key, at));
  CellColumns columns;
  if (!DecodeHourOfDay(*day, hour, &of_day).ok() || !DecodeCell(*cell, &columns).ok()) {
    return absl::OkStatus();
  }
  const absl::flat_hash_set<uint32_t> taken(of_day.offset_ms.begin(), of_day.offset_ms.end());
  CellColumns left;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (taken.contains(columns.offset_ms[i])) continue;
    left.push_back(columns.qualifier(i), columns.value(i));
  }
  if (left.size() == columns.size()) return absl::OkStatus();
  std::string changed;
  if (left.size() > 0) AppendCellLike(*cell, left, &changed);
  *cell = std::move(changed);
  return absl::OkStatus();
}

}  // namespace hourcell
