#include "engine/days/hours_view.h"

#include <absl/container/flat_hash_map.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/cells/cell.h"
#include "engine/days/day_cursor.h"
#include "engine/days/hour_cell.h"
#include "engine/days/hour_cursor.h"
#include "engine/days/hour_place.h"

namespace hourcell {
namespace {

// The rows of two cursors in key order. A row of both is one: the cells are merged.
class JoinedCursor final : public RowCursor {
 public:
  JoinedCursor(std::unique_ptr<RowCursor> days, std::unique_ptr<RowCursor> hours)
      : days_(std::move(days)), hours_(std::move(hours)) {}

  void Seek(std::string_view key) override {
    days_->Seek(key);
    hours_->Seek(key);
  }

  void SeekBefore(std::string_view key) override {
    days_->SeekBefore(key);
    hours_->SeekBefore(key);
    ToLater();
  }

  void SeekToLast() override {
    days_->SeekToLast();
    hours_->SeekToLast();
    ToLater();
  }

  void Next() override {
    HOURCELL_DCHECK(valid());
    const bool of_days = IsOfDays();
    const bool of_hours = IsOfHours();
    if (of_days) days_->Next();
    if (of_hours) hours_->Next();
  }

  // After an error of one, rows of the other are not shown: they may follow a missing row.
  bool valid() const override { return status().ok() && (days_->valid() || hours_->valid()); }
  std::string_view key() const override { return IsOfDays() ? days_->key() : hours_->key(); }

  std::string_view value() const override {
    if (!IsOfDays()) return hours_->value();
    if (!IsOfHours()) return days_->value();
    const std::string_view later[] = {hours_->value()};
    merged_.clear();
    MergeCells(days_->value(), later, &merged_);
    return merged_;
  }

  absl::Status status() const override {
    return days_->status().ok() ? hours_->status() : days_->status();
  }

 private:
  bool IsOfDays() const {
    return days_->valid() && (!hours_->valid() || days_->key() <= hours_->key());
  }
  bool IsOfHours() const {
    return hours_->valid() && (!days_->valid() || hours_->key() <= days_->key());
  }

  // Both are at their last row before a key: to the later of the two rows.
  void ToLater() {
    if (!valid()) return;
    const bool is_days = days_->valid() && (!hours_->valid() || days_->key() >= hours_->key());
    const std::string later(is_days ? days_->key() : hours_->key());
    Seek(later);
  }

  const std::unique_ptr<RowCursor> days_;
  const std::unique_ptr<RowCursor> hours_;
  mutable std::string merged_;
};

}  // namespace

absl::StatusOr<std::optional<std::string>> HoursView::Get(TableId table, std::string_view key) {
  if (table != TableId::kData) return stored_->Get(table, key);
  const std::string keys[] = {std::string(key)};
  std::vector<std::optional<std::string>> values;
  HOURCELL_RETURN_IF_ERROR(GetMany(table, keys, &values));
  return std::move(values.front());
}

absl::Status HoursView::GetMany(TableId table,
                                std::span<const std::string> keys,
                                std::vector<std::optional<std::string>>* values) {
  HOURCELL_RETURN_IF_ERROR(stored_->GetMany(table, keys, values));
  return table == TableId::kData ? AddDays(keys, values) : absl::OkStatus();
}

// Adds the hours that are in rows of days.
absl::Status HoursView::AddDays(std::span<const std::string> keys,
                                std::vector<std::optional<std::string>>* values) {
  std::vector<std::string> day_keys;
  absl::flat_hash_map<std::string, size_t> index_of;
  std::vector<size_t> day_of(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    HOURCELL_DCHECK(!IsDayKey(keys[i], at_));
    const auto [found, is_new] = index_of.try_emplace(DayKeyOf(keys[i], at_), day_keys.size());
    if (is_new) day_keys.push_back(found->first);
    day_of[i] = found->second;
  }
  std::vector<std::optional<std::string>> days;
  HOURCELL_RETURN_IF_ERROR(stored_->GetMany(TableId::kData, day_keys, &days));
  CellColumns columns;
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::optional<std::string>& day = days[day_of[i]];
    if (!day.has_value()) continue;
    const uint32_t hour = HourOfDay(TimeFieldOf(keys[i], at_));
    if ((HoursShown(*day) >> hour & 1) == 0) continue;
    std::string cell;
    AppendHourCell(*day, hour, &columns, &cell);
    std::optional<std::string>& value = (*values)[i];
    if (value.has_value()) {
      const std::string_view later[] = {*value};
      std::string merged;
      MergeCells(cell, later, &merged);
      cell = std::move(merged);
    }
    value = std::move(cell);
  }
  return absl::OkStatus();
}

absl::Status HoursView::Scan(
    TableId table,
    const ScanRange& range,
    const std::function<bool(std::string_view key, std::string_view value)>& visit) {
  if (table != TableId::kData) return stored_->Scan(table, range, visit);
  const std::unique_ptr<RowCursor> row = NewCursor(table, range);
  for (row->Seek(range.begin); row->valid(); row->Next())
    if (!visit(row->key(), row->value())) return absl::OkStatus();
  return row->status();
}

std::unique_ptr<RowCursor> HoursView::NewCursor(TableId table, const ScanRange& range) {
  std::unique_ptr<RowCursor> rows = stored_->NewCursor(table, range);
  if (table != TableId::kData) return rows;
  return std::make_unique<JoinedCursor>(std::make_unique<DayCursor>(at_, stored_.get(), range),
                                        std::make_unique<HourCursor>(at_, std::move(rows)));
}

}  // namespace hourcell
