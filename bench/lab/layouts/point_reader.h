// PointReader: reads points through a key template, and counts the cost: accesses to the store,
// stored rows that it returned, and their bytes, including rows of other series in a range.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "bench/lab/layouts/cell_form.h"
#include "bench/lab/layouts/row_keys.h"
#include "codec/cells/cell.h"
#include "engine/table/table.h"

namespace hourcell::layouts {

struct ReadCost {
  uint64_t accesses = 0;  // reads of rows by key, and of ranges
  uint64_t rows = 0;      // stored keys that the store returned
  uint64_t bytes = 0;     // of these keys and their values
  uint64_t points = 0;    // returned
};

// The points of hours by tags and base time, in order of time.
using RowsRead = std::map<std::pair<std::string, uint32_t>, CellColumns>;

class PointReader {
 public:
  // All are borrowed.
  PointReader(TableView* view, const RowKeys* keys, const CellForm& form)
      : view_(*view), keys_(*keys), form_(form) {}

  // All points of the matching rows. Adds to `*cost`. kDataLoss: a key or value that does not
  // decode.
  absl::Status Read(const RowQuery& query, RowsRead* rows, ReadCost* cost);

  // The point at `offset_ms` of a row, if it exists: with a cell per point it reads that key alone,
  // else the row. REQUIRES: the query is of one hour and one series.
  absl::Status ReadPoint(const RowQuery& query, uint32_t offset_ms, RowsRead* rows, ReadCost* cost);

 private:
  absl::Status GetRows(const std::vector<std::string>& keys);
  absl::Status Scan(const ScanRange& range);
  absl::Status Take(std::string_view key, std::string_view value);
  absl::Status TakeDay(const RowId& row, std::string_view value);
  void Finish(ReadCost* cost);

  TableView& view_;
  const RowKeys& keys_;
  const CellForm form_;
  // Of the current read.
  const RowQuery* query_ = nullptr;
  RowsRead* rows_ = nullptr;
  ReadCost cost_;
};

}  // namespace hourcell::layouts
