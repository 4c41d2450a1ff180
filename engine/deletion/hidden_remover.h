// HiddenRemover: removes the points that a delete hides from rows, once the delete cannot be undone
// any more. Goes over the rows of the metric and the range in batches; the sealer runs between two.
//
// Rows with a key 'U' of the delete are left alone: their points are not in them. Rows are written
// through the storage's log, so no checkpoint is needed: the log has state 3 of the delete only
// after them. A cell that does not decode is deleted if it is
// hidden as a whole, and else left to fsck.
//
// Thread-compatible.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/rows/row_key.h"
#include "engine/hidden/hidden_points.h"
#include "engine/hidden/hidden_points_store.h"
#include "engine/series/active_sets.h"
#include "engine/table/table.h"
#include "engine/write/sealer.h"

namespace hourcell {

class HiddenRemover {
 public:
  // Borrowed.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    HiddenPointsStore* hidden = nullptr;
    Sealer* sealer = nullptr;
    ActiveSets* active = nullptr;
    const std::atomic<bool>* is_stopped = nullptr;
  };
  explicit HiddenRemover(const Parts& parts) : parts_(parts) {}

  // Removes the points from rows, and series without a row of a day from the day's active set.
  // kCancelled: is_stopped. Errors are storage's. The call may be repeated.
  absl::Status RemoveFromRows(std::shared_ptr<const HiddenSeries> of_metric);

  // Deletes the keys 'U' of the delete, and removes its points from those of earlier deletes: an
  // undo of these does not bring them back. REQUIRES: the delete hides nothing any more.
  absl::Status RemoveTakenOut(uint64_t id,
                              const std::vector<std::shared_ptr<const HiddenSeries>>& of_delete);

 private:
  absl::Status RemoveFrom(const KeyRange& range, const HiddenPoints& hidden);
  absl::Status RemoveSome(const KeyRange& range, const HiddenPoints& hidden, std::string* at);
  absl::Status RemoveSomeTakenOut(uint64_t id, const HiddenPoints& hidden, std::string* at);
  absl::Status NoteEmptied(std::string_view row_key);
  absl::Status TellEmptied();
  absl::Status CheckGoOn() const;

  const Parts parts_;
  std::set<SeriesDay> emptied_;
};

}  // namespace hourcell
