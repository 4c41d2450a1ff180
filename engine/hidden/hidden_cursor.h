// HiddenCursor: the stored rows of the data table, without the points that deletes hide. Rows
// without a visible point are skipped. Thread-compatible.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "engine/hidden/hidden_points.h"
#include "engine/hidden/hidden_rows.h"
#include "engine/table/table.h"

namespace hourcell {

class HiddenCursor final : public RowCursor {
 public:
  // `stored` is a cursor of the view of `hidden`.
  HiddenCursor(std::unique_ptr<RowCursor> stored, HiddenRows hidden)
      : rows_(std::move(stored)), hidden_(std::move(hidden)) {}

  void Seek(std::string_view key) override;
  void SeekBefore(std::string_view key) override;
  void SeekToLast() override;
  void Next() override;
  bool valid() const override { return status_.ok() && rows_->valid(); }
  std::string_view key() const override { return rows_->key(); }
  std::string_view value() const override { return is_changed_ ? changed_ : rows_->value(); }
  absl::Status status() const override { return status_.ok() ? rows_->status() : status_; }

 private:
  void SkipHidden();
  void SkipHiddenBack();
  bool Show();

  const std::unique_ptr<RowCursor> rows_;
  HiddenRows hidden_;
  absl::Status status_;  // of hidden_
  bool is_changed_ = false;
  std::string changed_;  // the value without hidden points
  std::vector<HiddenPart> parts_;
};

}  // namespace hourcell
