#include "engine/hidden/hidden_cursor.h"

#include <algorithm>

#include "engine/hidden/hidden_cell.h"

namespace hourcell {

void HiddenCursor::Seek(std::string_view key) {
  status_ = absl::OkStatus();
  rows_->Seek(key);
  SkipHidden();
}

void HiddenCursor::SeekBefore(std::string_view key) {
  status_ = absl::OkStatus();
  rows_->SeekBefore(key);
  SkipHiddenBack();
}

void HiddenCursor::SeekToLast() {
  status_ = absl::OkStatus();
  rows_->SeekToLast();
  SkipHiddenBack();
}

void HiddenCursor::Next() {
  rows_->Next();
  SkipHidden();
}

void HiddenCursor::SkipHidden() {
  while (valid() && !Show() && status_.ok())
    rows_->Next();
}

void HiddenCursor::SkipHiddenBack() {
  while (valid() && !Show() && status_.ok()) {
    const std::string key(rows_->key());
    rows_->SeekBefore(key);
  }
}

// Whether the row has visible points. The value of a row that is hidden as a whole is not read.
bool HiddenCursor::Show() {
  is_changed_ = false;
  status_ = hidden_.FindParts(rows_->key(), &parts_);
  if (!status_.ok()) return false;
  if (parts_.empty()) return true;
  if (std::ranges::any_of(parts_, &HiddenPart::is_whole)) return false;
  changed_ = rows_->value();
  const ShownRow shown = ShowParts(parts_, &changed_);
  is_changed_ = shown == ShownRow::kInPart;
  return shown != ShownRow::kNothing;
}

}  // namespace hourcell
