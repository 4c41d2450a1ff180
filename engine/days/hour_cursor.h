// HourCursor: the stored rows of hours alone; it skips the rows of days. Thread-compatible.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>

#include "engine/table/table.h"

namespace hourcell {

class HourCursor final : public RowCursor {
 public:
  // `at` is RowKeyCodec::base_time_offset(). `rows` is a cursor of a stored view.
  HourCursor(size_t at, std::unique_ptr<RowCursor> rows) : at_(at), rows_(std::move(rows)) {}

  void Seek(std::string_view key) override;
  void SeekBefore(std::string_view key) override;
  void SeekToLast() override;
  void Next() override;
  bool valid() const override { return rows_->valid(); }
  std::string_view key() const override { return rows_->key(); }
  std::string_view value() const override { return rows_->value(); }
  absl::Status status() const override { return rows_->status(); }

 private:
  void SkipDays();
  void SkipDaysBack();

  const size_t at_;
  const std::unique_ptr<RowCursor> rows_;
  std::string target_;
};

}  // namespace hourcell
