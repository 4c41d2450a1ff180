// Deletion records: rows of the system table that hide the points of a delete, until the delete is
// undone or its points are removed from files (engine/hidden). One row for each metric of a delete.
//
//   key                                    value
//   44 'D'                                 01 | the id of the next delete: 8
//   44 'D' | id: 8 | metric UID            01 | state: 1 | deleted at, ms: 8 | undo until, ms: 8
//                                             | start, ms: 8 | end, ms: 8
//                                             | { chunk: 6 | bytes: 4 | posting set }...
//   55 'U' | row key | id: 8               the points that delete `id` hides: a cell, or empty
//
//   state   00 hides; 01 is being undone; 02 is being removed from files; 03 is removed
//
// A record hides the points with start <= t <= end of its series, in each row without a key 'U' of
// its id. A row key is a stored one, of an hour or of a day (codec/rows/row_key.h). The posting
// sets have the numbers of the series (series_key.h), by ascending chunk. Ids begin at 1, ascend
// and are not reused. The time of undo is of the delete: a program that opens the store with
// another setting removes no point earlier.
//
// Integers are big-endian. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/rows/series_key.h"
#include "engine/table/table.h"

namespace hourcell {

// The state of a delete. ON DISK: do not renumber.
enum class DeletionState : uint8_t {
  kHides = 0,
  kUndoing = 1,   // hides nothing; points in rows 'U' go back to their rows
  kRemoving = 2,  // hides, and cannot be undone
  kRemoved = 3,   // hides nothing; rows 'U' are being deleted
};

// One record.
struct DeletionRow {
  uint64_t id = 0;
  Uid metric = kNoUid;
  DeletionState state = DeletionState::kHides;
  int64_t deleted_ms = 0;
  int64_t until_ms = 0;  // then its points are removed
  int64_t start_ms = 0;
  int64_t end_ms = 0;                // inclusive
  std::vector<SeriesNumber> series;  // ascending, each once
  friend bool operator==(const DeletionRow&, const DeletionRow&) = default;

  bool hides() const { return state == DeletionState::kHides || state == DeletionState::kRemoving; }
};

// The key of the counter, with which the keys of all records begin.
std::string DeletionCounterKey();
std::string DeletionCounterValue(uint64_t next_id);
// kDataLoss: not a counter, or no id is left.
absl::StatusOr<uint64_t> ParseDeletionCounter(std::string_view value);

std::string DeletionKey(const Layout& layout, uint64_t id, Uid metric);
// REQUIRES: 0 <= start_ms <= end_ms <= kTimestampMsMax, 0 <= deleted_ms <= until_ms,
// series ascend.
std::string DeletionValue(const DeletionRow& row);
// kDataLoss: not a record, or one that DeletionValue does not write.
absl::StatusOr<DeletionRow> ParseDeletionRow(const Layout& layout,
                                             std::string_view key,
                                             std::string_view value);

// The key of the points of a row that a delete hides.
struct HiddenRowKeyView {
  std::string_view row_key;  // borrowed
  uint64_t id = 0;
};
std::string HiddenRowsPrefix();
std::string HiddenRowKey(std::string_view row_key, uint64_t id);
// kDataLoss: too short.
absl::StatusOr<HiddenRowKeyView> ParseHiddenRowKey(std::string_view key);

// All records of the view, ascending by id and metric. kDataLoss: one does not decode.
absl::StatusOr<std::vector<DeletionRow>> ReadDeletionRows(const Layout& layout, TableView* view);

// The id for the next delete: 1 in a store without records.
absl::StatusOr<uint64_t> ReadNextDeletionId(TableView* view);

// Removes from `numbers`, which ascend, the series of the metric's records that hide points. Their
// rows have points again after an undo.
absl::Status RemoveSeriesWithHiddenPoints(const Layout& layout,
                                          Uid metric,
                                          TableView* view,
                                          std::vector<SeriesNumber>* numbers);

}  // namespace hourcell
