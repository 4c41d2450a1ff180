// CountingView: a view that counts the cursors of its readers, and their moves.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/table/table.h"

namespace hourcell {

class CountingCursor : public RowCursor {
 public:
  CountingCursor(std::unique_ptr<RowCursor> row, int* moves)
      : row_(std::move(row)), moves_(moves) {}
  void Seek(std::string_view key) override { (++*moves_, row_->Seek(key)); }
  void SeekBefore(std::string_view key) override { (++*moves_, row_->SeekBefore(key)); }
  void SeekToLast() override { (++*moves_, row_->SeekToLast()); }
  void Next() override { (++*moves_, row_->Next()); }
  bool valid() const override { return row_->valid(); }
  std::string_view key() const override { return row_->key(); }
  std::string_view value() const override { return row_->value(); }
  absl::Status status() const override { return row_->status(); }

 private:
  const std::unique_ptr<RowCursor> row_;
  int* const moves_;
};

class CountingView : public TableView {
 public:
  explicit CountingView(std::unique_ptr<TableView> view) : view_(std::move(view)) {}
  absl::StatusOr<std::optional<std::string>> Get(TableId table, std::string_view key) override {
    return view_->Get(table, key);
  }
  absl::Status GetMany(TableId table,
                       std::span<const std::string> keys,
                       std::vector<std::optional<std::string>>* values) override {
    return view_->GetMany(table, keys, values);
  }
  absl::Status Scan(TableId table,
                    const ScanRange& range,
                    const std::function<bool(std::string_view, std::string_view)>& visit) override {
    return view_->Scan(table, range, visit);
  }
  std::unique_ptr<RowCursor> NewCursor(TableId table, const ScanRange& range) override {
    ++cursors_;
    return std::make_unique<CountingCursor>(view_->NewCursor(table, range), &moves_);
  }
  int cursors() const { return cursors_; }
  int moves() const { return moves_; }

 private:
  const std::unique_ptr<TableView> view_;
  int cursors_ = 0;
  int moves_ = 0;
};

}  // namespace hourcell
