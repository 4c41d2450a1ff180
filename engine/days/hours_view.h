// HoursView: a view in which the data table has rows of hours alone, whatever rows are stored. It
// joins the hours in rows of days with hour rows. At an equal instant the hour row wins, because it
// is newer (day_writes.h).
//
// Other tables are as stored. Thread-safe.

#pragma once

#include <cstddef>
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

class HoursView final : public TableView {
 public:
  // `at` is RowKeyCodec::base_time_offset().
  HoursView(size_t at, std::unique_ptr<TableView> stored) : at_(at), stored_(std::move(stored)) {}

  absl::StatusOr<std::optional<std::string>> Get(TableId table, std::string_view key) override;
  absl::Status GetMany(TableId table,
                       std::span<const std::string> keys,
                       std::vector<std::optional<std::string>>* values) override;
  absl::Status Scan(
      TableId table,
      const ScanRange& range,
      const std::function<bool(std::string_view key, std::string_view value)>& visit) override;
  std::unique_ptr<RowCursor> NewCursor(TableId table, const ScanRange& range) override;
  BlockReads block_reads_of_thread() const override { return stored_->block_reads_of_thread(); }
  TableView& stored() override { return stored_->stored(); }
  bool has_day_rows() const override { return true; }

 private:
  absl::Status AddDays(std::span<const std::string> keys,
                       std::vector<std::optional<std::string>>* values);

  const size_t at_;
  const std::unique_ptr<TableView> stored_;
};

}  // namespace hourcell
