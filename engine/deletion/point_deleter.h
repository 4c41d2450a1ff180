// PointDeleter: removes points from stored rows.
//
//   rounds of a limited number of rows; the sealer runs between two rounds:
//   Sealer::WithSealed: all points are in cells, and no other cell is written
//     query, series by series -> the rows with points in the range
//     each row: cell -> columns -> without those points -> set, or delete if none is left
//     commit -> checkpoint
//   between two rounds, while no cell is written: a series without a row of a day leaves the day's
//     active set; the SeriesDropper later drops series that are in no set
//
// Rows keep their format. They are written to the table as they are found, so after a crash in the
// middle, or if the memory of queries runs out, the points of some rows are gone and those of
// others are not, and empty series may stay in the sets of their days. The sealer's lock admits one
// deletion at a time. Thread-compatible.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/cells/cell.h"
#include "codec/rows/row_key.h"
#include "engine/deletion/series_dropper.h"
#include "engine/hours/open_hours.h"
#include "engine/points.h"
#include "engine/query.h"
#include "engine/query/memory_account.h"
#include "engine/read/query_executor.h"
#include "engine/read/query_meter.h"
#include "engine/series/active_sets.h"
#include "engine/table/retention.h"
#include "engine/table/tables.h"
#include "engine/write/group_commit.h"
#include "engine/write/sealer.h"

namespace hourcell {

class PointDeleter {
 public:
  // Borrowed.
  struct Parts {
    const QueryExecutor* executor = nullptr;
    Tables* tables = nullptr;
    OpenHours* open_hours = nullptr;
    Sealer* sealer = nullptr;
    GroupCommit* commit = nullptr;
    const RowExpiry* expiry = nullptr;  // null: nothing expires
    ActiveSets* active = nullptr;       // of the same store
    SeriesDropper* dropper = nullptr;   // receives emptied series; null: they stay
    QueryMemory* memory = nullptr;      // counts the rows that are rewritten
  };
  PointDeleter(const RowKeyCodec& row_keys, const Parts& parts)
      : row_keys_(row_keys), parts_(parts) {}

  // Points::DeletePoints.
  absl::StatusOr<DeletedPoints> Delete(const QuerySpec& spec, QueryControl* control);

 private:
  // A row with points to delete.
  struct Row {
    std::string key;
    uint32_t base_time_s = 0;
    int64_t expires_before_ms = 0;
  };
  class Collector;

  absl::StatusOr<bool> DeleteRound(const QuerySpec& spec, QueryControl* control);
  absl::Status AddSeries(const SeriesView& series);
  absl::Status RewriteRows();
  absl::Status RewriteTogether(std::span<const Row> rows);
  absl::Status TellEmptied();
  absl::Status Rewrite(const Row& row, std::string_view cell, std::vector<Mutation>* group);

  const RowKeyCodec& row_keys_;
  const Parts parts_;
  // Of the deletion under way, and of its round.
  int64_t start_ms_ = 0;
  int64_t end_ms_ = 0;
  uint64_t rows_left_ = 0;          // of the round
  std::vector<Row> rows_;           // found, not rewritten yet
  size_t rows_at_once_ = 0;         // that are rewritten together, by what cells took so far
  MemoryHold* hold_ = nullptr;      // of the cells of rows that are rewritten
  std::vector<SeriesDay> emptied_;  // in this round, days that lost a row
  DeletedPoints deleted_;
};

}  // namespace hourcell
