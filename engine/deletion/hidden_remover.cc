#include "engine/deletion/hidden_remover.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/hidden/hidden_cell.h"
#include "engine/hidden/hidden_rows.h"
#include "engine/rows/deletion_row.h"
#include "engine/rows/key_range.h"

namespace hourcell {
namespace {

// Rows that are looked at, and written, while nothing is sealed.
constexpr size_t kRowsLookedAt = 4096;
constexpr size_t kRowsRemoved = 1024;

// Days of series that are remembered before the sets are changed.
constexpr size_t kEmptiedDaysMax = 65'536;

// The ranges of the rows of hours and of days that may have points of the series.
std::vector<KeyRange> RangesOf(const RowKeyCodec& row_keys, const HiddenSeries& series) {
  std::vector<KeyRange> ranges = row_keys.Ranges(series.metric, kHourSpan.BaseS(series.start_ms),
                                                 kHourSpan.EndS(kHourSpan.BaseS(series.end_ms)));
  const uint32_t first_day_s = kDaySpan.BaseS(series.start_ms);
  const uint32_t last_day_s = kDaySpan.BaseS(series.end_ms);
  const uint32_t buckets =
      row_keys.has_bucket_ranges()
          ? row_keys.salt_epochs().BucketsMaxIn(first_day_s, kDaySpan.EndS(last_day_s))
          : 1;
  for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
    KeyRange& days = ranges.emplace_back();
    row_keys.AppendDayPrefix(series.metric, bucket, first_day_s, &days.begin);
    row_keys.AppendHourPrefix(series.metric, bucket, DayField(last_day_s) + 1, &days.end);
  }
  return ranges;
}

}  // namespace

absl::Status HiddenRemover::CheckGoOn() const {
  if (!parts_.is_stopped->load()) return absl::OkStatus();
  return absl::CancelledError("removal of deleted points: the store is being closed");
}

absl::Status HiddenRemover::RemoveFromRows(std::shared_ptr<const HiddenSeries> of_metric) {
  const std::vector<KeyRange> ranges = RangesOf(*parts_.row_keys, *of_metric);
  const HiddenPoints hidden(parts_.row_keys, {std::move(of_metric)});
  for (const KeyRange& range : ranges)
    HOURCELL_RETURN_IF_ERROR(RemoveFrom(range, hidden));
  return TellEmptied();
}

absl::Status HiddenRemover::RemoveFrom(const KeyRange& range, const HiddenPoints& hidden) {
  std::string at = range.begin;
  // RemoveSome leaves it empty after the last row.
  while (!at.empty()) {
    HOURCELL_RETURN_IF_ERROR(CheckGoOn());
    HOURCELL_RETURN_IF_ERROR(
        parts_.sealer->WithSealingPaused([&] { return RemoveSome(range, hidden, &at); }));
    if (emptied_.size() >= kEmptiedDaysMax) HOURCELL_RETURN_IF_ERROR(TellEmptied());
  }
  return absl::OkStatus();
}

absl::Status HiddenRemover::RemoveSome(const KeyRange& range,
                                       const HiddenPoints& hidden,
                                       std::string* at) {
  const std::unique_ptr<TableView> view = parts_.hidden->stored()->Snapshot();
  const std::unique_ptr<RowCursor> row =
      view->NewCursor(TableId::kData, {.begin = range.begin, .end = range.end, .is_large = true});
  HiddenRows rows(&hidden, view.get());
  std::vector<HiddenPart> parts;
  std::vector<Mutation> group;
  std::vector<std::string> deleted;
  size_t looked_at = 0;
  for (row->Seek(*at); row->valid(); row->Next()) {
    if (++looked_at > kRowsLookedAt || group.size() >= kRowsRemoved) break;
    HOURCELL_RETURN_IF_ERROR(rows.FindParts(row->key(), &parts));
    if (parts.empty()) continue;
    Mutation write{.table = TableId::kData,
                   .kind = Mutation::Kind::kSet,
                   .key = std::string(row->key()),
                   .value = std::string(row->value())};
    const ShownRow left = ShowParts(parts, &write.value);
    if (left == ShownRow::kAll) continue;
    if (left == ShownRow::kNothing) {
      write.kind = Mutation::Kind::kDelete;
      write.value.clear();
      deleted.push_back(write.key);
    }
    group.push_back(std::move(write));
  }
  HOURCELL_RETURN_IF_ERROR(row->status());
  *at = row->valid() ? std::string(row->key()) : std::string();
  if (group.empty()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(parts_.hidden->stored()->Apply(group, /*sync=*/false));
  HOURCELL_KILL_POINT("remove:rows");
  for (const std::string& key : deleted)
    HOURCELL_RETURN_IF_ERROR(NoteEmptied(key));
  return absl::OkStatus();
}

absl::Status HiddenRemover::NoteEmptied(std::string_view row_key) {
  if (!parts_.active->is_whole()) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const RowKeyView parsed, parts_.row_keys->ParseStored(row_key));
  SeriesDay day;
  RowKeyCodec::AppendTsuid(parsed, &day.tsuid);
  day.day = DayOf(parsed.base_time_s);
  emptied_.insert(std::move(day));
  return absl::OkStatus();
}

absl::Status HiddenRemover::TellEmptied() {
  const std::vector<SeriesDay> emptied(emptied_.begin(), emptied_.end());
  emptied_.clear();
  if (emptied.empty()) return absl::OkStatus();
  return parts_.sealer->WithSealingPaused(
      [&]() -> absl::Status { return parts_.active->RemoveEmptied(emptied); });
}

absl::Status HiddenRemover::RemoveTakenOut(
    uint64_t id, const std::vector<std::shared_ptr<const HiddenSeries>>& of_delete) {
  HOURCELL_DCHECK(parts_.hidden->hidden() == nullptr || !parts_.hidden->hidden()->Has(id));
  const HiddenPoints hidden(parts_.row_keys, of_delete);
  std::string at = HiddenRowsPrefix();
  while (!at.empty()) {
    HOURCELL_RETURN_IF_ERROR(CheckGoOn());
    HOURCELL_RETURN_IF_ERROR(
        parts_.sealer->WithSealingPaused([&] { return RemoveSomeTakenOut(id, hidden, &at); }));
  }
  return absl::OkStatus();
}

absl::Status HiddenRemover::RemoveSomeTakenOut(uint64_t id,
                                               const HiddenPoints& hidden,
                                               std::string* at) {
  const std::unique_ptr<TableView> view = parts_.hidden->stored()->Snapshot();
  const std::unique_ptr<RowCursor> row =
      view->NewCursor(TableId::kSystem, PrefixRange(HiddenRowsPrefix()));
  std::vector<HiddenPart> parts;
  std::vector<Mutation> group;
  size_t looked_at = 0;
  for (row->Seek(*at); row->valid(); row->Next()) {
    if (++looked_at > kRowsLookedAt || group.size() >= kRowsRemoved) break;
    HOURCELL_ASSIGN_OR_RETURN(const HiddenRowKeyView key, ParseHiddenRowKey(row->key()));
    Mutation write{.table = TableId::kSystem,
                   .kind = Mutation::Kind::kDelete,
                   .key = std::string(row->key()),
                   .value = {}};
    if (key.id != id) {
      // Points of an earlier delete are older than this delete, which hides them as well.
      if (key.id > id || row->value().empty()) continue;
      hidden.FindParts(key.row_key, &parts);
      if (parts.empty()) continue;
      write.kind = Mutation::Kind::kSet;
      write.value = row->value();
      const ShownRow left = ShowParts(parts, &write.value);
      if (left == ShownRow::kAll) continue;
      if (left == ShownRow::kNothing) write.value.clear();
    }
    group.push_back(std::move(write));
  }
  HOURCELL_RETURN_IF_ERROR(row->status());
  *at = row->valid() ? std::string(row->key()) : std::string();
  if (group.empty()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(parts_.hidden->stored()->Apply(group, /*sync=*/false));
  HOURCELL_KILL_POINT("remove:taken_out");
  return absl::OkStatus();
}

}  // namespace hourcell
