#include "engine/hidden/hidden_view.h"

#include "codec/base/status_macros.h"
#include "engine/hidden/hidden_cursor.h"
#include "engine/hidden/hidden_rows.h"

namespace hourcell {

absl::StatusOr<std::optional<std::string>> HiddenView::Get(TableId table, std::string_view key) {
  HOURCELL_ASSIGN_OR_RETURN(std::optional<std::string> value, stored_->Get(table, key));
  if (table != TableId::kData || !value.has_value()) return value;
  HOURCELL_ASSIGN_OR_RETURN(const bool is_visible,
                            HiddenRows(hidden_.get(), stored_.get()).Show(key, &*value));
  if (!is_visible) value.reset();
  return value;
}

absl::StatusOr<bool> HiddenView::GetInto(TableId table, std::string_view key, std::string* value) {
  HOURCELL_ASSIGN_OR_RETURN(const bool is_there, stored_->GetInto(table, key, value));
  if (table != TableId::kData || !is_there) return is_there;
  return HiddenRows(hidden_.get(), stored_.get()).Show(key, value);
}

absl::Status HiddenView::GetMany(TableId table,
                                 std::span<const std::string> keys,
                                 std::vector<std::optional<std::string>>* values) {
  HOURCELL_RETURN_IF_ERROR(stored_->GetMany(table, keys, values));
  if (table != TableId::kData) return absl::OkStatus();
  HiddenRows rows(hidden_.get(), stored_.get());
  for (size_t i = 0; i < keys.size(); ++i) {
    std::optional<std::string>& value = (*values)[i];
    if (!value.has_value()) continue;
    HOURCELL_ASSIGN_OR_RETURN(const bool is_visible, rows.Show(keys[i], &*value));
    if (!is_visible) value.reset();
  }
  return absl::OkStatus();
}

absl::Status HiddenView::Scan(
    TableId table,
    const ScanRange& range,
    const std::function<bool(std::string_view key, std::string_view value)>& visit) {
  if (table != TableId::kData) return stored_->Scan(table, range, visit);
  ScanRange large = range;
  large.is_large = true;
  const std::unique_ptr<RowCursor> row = NewCursor(table, large);
  for (row->Seek(range.begin); row->valid(); row->Next())
    if (!visit(row->key(), row->value())) return absl::OkStatus();
  return row->status();
}

std::unique_ptr<RowCursor> HiddenView::NewCursor(TableId table, const ScanRange& range) {
  std::unique_ptr<RowCursor> rows = stored_->NewCursor(table, range);
  if (table != TableId::kData) return rows;
  return std::make_unique<HiddenCursor>(std::move(rows), HiddenRows(hidden_.get(), stored_.get()));
}

}  // namespace hourcell
