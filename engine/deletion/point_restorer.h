// PointRestorer: puts the points that a delete has taken out of rows back into them, for an undo
// (engine/hidden/hidden_writes.h takes them out):
//
//   U row 7: b          points of row: a b c d    if they have an instant in common,
//   row:     a c d                                the row's point stays: it is newer
//
// A point that a later delete hides, too, goes to that delete's points of the row. Each row and the
// removal of its key 'U' are one group, so a restart continues with the keys that are left. Rows of
// hours are first: a key of a day shows that the day's row got points after the delete.
//
// Thread-compatible. REQUIRES: the delete hides nothing any more, and no cell is written meanwhile
// (Sealer::WithSealingPaused).

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/rows/row_key.h"
#include "engine/hidden/hidden_points_store.h"
#include "engine/series/series_table.h"
#include "engine/table/retention.h"
#include "engine/table/table.h"

namespace hourcell {

class PointRestorer {
 public:
  // Borrowed.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    HiddenPointsStore* hidden = nullptr;
    const SeriesTable* series = nullptr;
    const RowExpiry* expiry = nullptr;  // null: nothing expires
  };
  explicit PointRestorer(const Parts& parts) : parts_(parts) {}

  // Errors are storage's; the call may be repeated. kDataLoss: a key or a series does not decode.
  absl::Status Restore(uint64_t id);

 private:
  absl::Status RestoreRows(bool of_days);
  absl::Status RestoreRow(std::string_view row_key,
                          std::string_view cell,
                          TableView* view,
                          std::vector<Mutation>* group);
  absl::Status GiveToLaterDeletes(std::string_view row_key,
                                  TableView* view,
                                  std::string* cell,
                                  std::vector<Mutation>* group) const;
  absl::Status MergeUnderRow(const RowKeyView& parsed,
                             std::string_view row_key,
                             std::string cell,
                             TableView* view,
                             std::vector<Mutation>* group) const;
  absl::Status RemoveNewerOfDay(std::string_view hour_key,
                                TableView* view,
                                std::string* cell) const;

  const Parts parts_;
  uint64_t id_ = 0;
};

}  // namespace hourcell
