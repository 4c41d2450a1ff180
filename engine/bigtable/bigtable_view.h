// BigtableView: a TableView of one moment, on a BigtableClient. The service reads each row as a
// whole; the versions of its cells (stored_row.h) make all rows those of one moment.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/bigtable/rows/version_ledger.h"
#include "engine/table/table.h"

namespace hourcell {

// "<prefix>-data"; a data table that is shared has its own name.
std::string BigtableNameOf(const BigtableOptions& options, TableId table);

struct VisibleRow {
  std::string key;
  std::string value;
};

// Rows that a view sees, some at a time.
struct VisiblePage {
  std::vector<VisibleRow> rows;
  std::string last_key;      // of the rows that were read, seen or not
  bool is_complete = false;  // else there may be more after `last_key`
};

// The cells of a store; of a shared data table, its family alone.
google::bigtable::v2::RowFilter OwnCells(const BigtableOptions& options, TableId table);

class BigtableView : public TableView {
 public:
  // Holds a view of the ledger for as long as it lives. Both are borrowed. `reads_opentsdb`: rows
  // of a shared data table have OpenTSDB's points, too.
  BigtableView(BigtableClient* client, VersionLedger* ledger, bool reads_opentsdb = false);
  ~BigtableView() override { ledger_.Release(view_); }
  BigtableView(const BigtableView&) = delete;
  BigtableView& operator=(const BigtableView&) = delete;

  absl::StatusOr<std::optional<std::string>> Get(TableId table, std::string_view key) override;
  absl::Status GetMany(TableId table,
                       std::span<const std::string> keys,
                       std::vector<std::optional<std::string>>* values) override;
  absl::Status Scan(
      TableId table,
      const ScanRange& range,
      const std::function<bool(std::string_view key, std::string_view value)>& visit) override;
  std::unique_ptr<RowCursor> NewCursor(TableId table, const ScanRange& range) override;

  // At most `rows_max` rows that are stored, of which the view may see fewer.
  absl::StatusOr<VisiblePage> ReadPage(TableId table, ReadSelection selection);

 private:
  google::bigtable::v2::RowFilter FilterFor(TableId table) const;

  BigtableClient& client_;
  VersionLedger& ledger_;
  const bool reads_opentsdb_;
  const VersionView view_;
};

}  // namespace hourcell
