// RowScanner: stored rows as people look at them: OpenTSDB's bytes and decoded points, names
// resolved. Behind Tsdb::Scan. Thread-compatible.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/row_key.h"
#include "engine/query_planner.h"
#include "engine/table.h"
#include "engine/tsdb.h"
#include "uid/uid_directory.h"

namespace hourcell {

class RowScanner {
 public:
  // All borrowed.
  RowScanner(const RowKeyCodec& row_keys, UidDirectory* uids, const QueryPlanner* planner)
      : row_keys_(row_keys), uids_(*uids), planner_(*planner) {}

  // Tsdb::Scan.
  absl::Status Scan(TableView* view,
                    const ScanSpec& spec,
                    const std::function<bool(const ScannedRow&)>& visit);

 private:
  absl::Status ScanMetric(TableView* view,
                          const ScanSpec& spec,
                          const std::function<bool(const ScannedRow&)>& visit);
  absl::Status Show(std::string_view key,
                    std::string_view cell,
                    const std::function<bool(const ScannedRow&)>& visit,
                    bool* go_on);
  std::string_view NameOrHex(UidKind kind, std::string_view uid_bytes);

  const RowKeyCodec& row_keys_;
  UidDirectory& uids_;
  const QueryPlanner& planner_;
  std::vector<std::string> names_;  // of the row being shown
};

}  // namespace hourcell
