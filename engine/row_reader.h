// RowReader: the rows of a plan, stored or open -> one span a series. Decodes cells straight into
// columns. The limits and the deadline of a query are checked every batch of rows.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/cell.h"
#include "codec/row_key.h"
#include "engine/ingest/open_hours.h"
#include "engine/query/columns.h"
#include "engine/query_planner.h"
#include "engine/table.h"

namespace hourcell {

// What one query may use; 0 = no limit.
struct QueryBudget {
  uint64_t points_max = 0;
  int64_t deadline_ms = 0;  // Unix milliseconds
  Clock* clock = nullptr;   // borrowed; of meaning only with a deadline
};

class RowReader {
 public:
  // All borrowed. REQUIRES: the reader's pin of `open_hours` is older than `view`.
  RowReader(const RowKeyCodec& row_keys,
            TableView* view,
            OpenHours* open_hours,
            const QueryBudget& budget)
      : row_keys_(row_keys), view_(*view), open_hours_(*open_hours), budget_(budget) {}

  // The points of each series of the plan in its bounds; spans->at(i) belongs to plan.series[i] and
  // is empty if the series has none there.
  //
  // kDataLoss: a cell is damaged (the row is named); kResourceExhausted: over the points;
  // kDeadlineExceeded.
  absl::Status Read(const SubQueryPlan& plan, std::vector<Span>* spans);

  // Over all Reads.
  uint64_t rows_read() const { return rows_read_; }
  uint64_t points_read() const { return points_read_; }

 private:
  absl::Status ReadPoints(const SubQueryPlan& plan, std::vector<Span>* spans);
  absl::Status ReadRange(const SubQueryPlan& plan, std::vector<Span>* spans);
  absl::Status ReadOpenHours(const SubQueryPlan& plan, std::vector<Span>* spans);
  void AddColumns(const CellColumns& columns, uint32_t base_time_s, Span* span);
  absl::Status AddRow(std::string_view key,
                      std::string_view cell,
                      uint32_t base_time_s,
                      Span* span);
  absl::Status CheckBudget() const;

  const RowKeyCodec& row_keys_;
  TableView& view_;
  OpenHours& open_hours_;
  const QueryBudget budget_;
  int64_t visible_from_ms_ = 0;  // of the plan being read
  CellColumns columns_;          // reused from row to row
  uint64_t rows_read_ = 0;
  uint64_t points_read_ = 0;
};

}  // namespace hourcell
