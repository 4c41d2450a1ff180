// BigtableView: a TableView of one moment, on a BigtableClient. The service reads each row
// atomically; cell versions (stored_row.h) make all rows consistent with that moment.

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

// "<prefix>-data", or the name of the shared data table.
std::string BigtableNameOf(const BigtableOptions& options, TableId table);

struct VisibleRow {
  std::string key;
  std::string value;
};

// One page of visible rows.
struct VisiblePage {
  std::vector<VisibleRow> rows;
  std::string last_key;      // the last row read, visible or not
  bool is_complete = false;  // false: more rows may follow `last_key`
};

// Passes the cells of the store: in a shared data table, only those in its own family.
google::bigtable::v2::RowFilter OwnCells(const BigtableOptions& options, TableId table);

class BigtableView : public TableView {
 public:
  // Holds a view of the ledger until destruction. Borrows both pointers. `reads_opentsdb`: rows of
  // a shared data table include OpenTSDB's points.
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

  // Reads at most `rows_max` stored rows; the view may see fewer.
  absl::StatusOr<VisiblePage> ReadPage(TableId table, ReadSelection selection);

 private:
  google::bigtable::v2::RowFilter FilterFor(TableId table) const;

  BigtableClient& client_;
  VersionLedger& ledger_;
  const bool reads_opentsdb_;
  const VersionView view_;
};

}  // namespace hourcell
