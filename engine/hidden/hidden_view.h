// HiddenView: a view in which the data table lacks the points that deletes hide. Other tables are
// as stored. Thread-safe.

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

#include "engine/hidden/hidden_points.h"
#include "engine/table/table.h"

namespace hourcell {

class HiddenView final : public TableView {
 public:
  HiddenView(std::shared_ptr<const HiddenPoints> hidden, std::unique_ptr<TableView> stored)
      : hidden_(std::move(hidden)), stored_(std::move(stored)) {}

  absl::StatusOr<std::optional<std::string>> Get(TableId table, std::string_view key) override;
  absl::StatusOr<bool> GetInto(TableId table, std::string_view key, std::string* value) override;
  absl::Status GetMany(TableId table,
                       std::span<const std::string> keys,
                       std::vector<std::optional<std::string>>* values) override;
  absl::Status Scan(
      TableId table,
      const ScanRange& range,
      const std::function<bool(std::string_view key, std::string_view value)>& visit) override;
  std::unique_ptr<RowCursor> NewCursor(TableId table, const ScanRange& range) override;
  bool gets_one_by_one() const override { return stored_->gets_one_by_one(); }
  BlockReads block_reads_of_thread() const override { return stored_->block_reads_of_thread(); }

 private:
  const std::shared_ptr<const HiddenPoints> hidden_;
  const std::unique_ptr<TableView> stored_;
};

}  // namespace hourcell
