// PointDeleter: takes points out of stored rows.
//
//   rounds of some rows each, so that the sealer has its turn between two of them:
//   Sealer::WithSealed: all points are in cells, and no other cell is written
//     query of the series alone -> the rows with points in the range
//     each row: cell -> columns -> without those points -> set, or delete if none is left
//     commit -> checkpoint
//   between two rounds, while no cell is written: series without a row of a day leave the day's
//     active set; those that are in no set any more the SeriesDropper drops, in its own time
//
// A row is rewritten in the format it had. Rows go to the table as they are found, so after a crash
// in the middle, or after a refusal by the memory of queries, a part of the points may be gone, of
// whole rows; and series that are empty may stay in the sets of their days. One deletion at a time,
// by the sealer's lock. Thread-compatible.

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
#include "engine/deleted_points.h"
#include "engine/hours/open_hours.h"
#include "engine/query.h"
#include "engine/query/memory_account.h"
#include "engine/read/query_executor.h"
#include "engine/read/query_meter.h"
#include "engine/series/active_sets.h"
#include "engine/store/series_dropper.h"
#include "engine/table/retention.h"
#include "engine/table/tables.h"
#include "engine/write/group_commit.h"
#include "engine/write/sealer.h"

namespace hourcell {

class PointDeleter {
 public:
  // What it works on; borrowed.
  struct Parts {
    const QueryExecutor* executor = nullptr;
    Tables* tables = nullptr;
    OpenHours* open_hours = nullptr;
    Sealer* sealer = nullptr;
    GroupCommit* commit = nullptr;
    const RowExpiry* expiry = nullptr;  // null: nothing expires
    ActiveSets* active = nullptr;       // of the same store
    SeriesDropper* dropper = nullptr;   // is told of what was emptied; null: that stays
    QueryMemory* memory = nullptr;      // counts the rows that are rewritten
  };
  PointDeleter(const RowKeyCodec& row_keys, const Parts& parts)
      : row_keys_(row_keys), parts_(parts) {}

  // Tsdb::DeletePoints.
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
  std::vector<SeriesDay> emptied_;  // of which a row is gone, of the round
  DeletedPoints deleted_;
};

}  // namespace hourcell
