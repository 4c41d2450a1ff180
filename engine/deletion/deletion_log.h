// DeletionLog: deletes that can be undone. Such a delete changes no row: its records
// (engine/rows/deletion_row.h) hide the points, and HiddenPointsStore leaves them out of reads.
//
//   Hide          all points in cells -> checkpoint -> records, synced -> hidden
//   Unlist        lists leave out series without other points (series_unlister.h)
//   Undo          rollups by rules are marked -> records away; points that were taken out of rows
//                 go back (point_restorer.h) -> series are listed
//   Forget,       state 2 -> points out of rows (hidden_remover.h) -> state 3 -> points that were
//   RemoveDue     taken out away -> records away
//
// A restart continues an undo when the store is opened, and a removal in the background.
//
// Thread-safe. Errors are storage's; kDataLoss: a record does not decode.

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/rows/row_key.h"
#include "engine/days/day_row_store.h"
#include "engine/deletion/hidden_selection.h"
#include "engine/deletion/series_dropper.h"
#include "engine/deletion/series_unlister.h"
#include "engine/hidden/hidden_points_store.h"
#include "engine/points.h"
#include "engine/rollups/marks/rollup_marks.h"
#include "engine/rows/deletion_row.h"
#include "engine/series/active_sets.h"
#include "engine/series/series_table.h"
#include "engine/table/retention.h"
#include "engine/write/sealer.h"
#include "uid/uid_directory.h"

namespace hourcell {

class DeletionLog {
 public:
  // Borrowed; they outlive the log.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    HiddenPointsStore* hidden = nullptr;
    DayRowStore* tables = nullptr;  // around `hidden`
    SeriesTable* series = nullptr;
    UidDirectory* uids = nullptr;
    ActiveSets* active = nullptr;
    SeriesDropper* dropper = nullptr;    // receives metrics with removed points; null: series stay
    SeriesUnlister* unlister = nullptr;  // null: lists have all series
    Sealer* sealer = nullptr;
    RollupMarks* rollup_marks = nullptr;  // null: no levels are computed
    const RowExpiry* expiry = nullptr;
    WallClock* clock = nullptr;
    int64_t undo_ms = 0;  // how long a new delete can be undone
  };
  explicit DeletionLog(const Parts& parts) : parts_(parts) {}

  // Hides the points of the series in their ranges; returns the id of the delete. REQUIRES: at
  // least one series; Finish.
  absl::StatusOr<uint64_t> Hide(const HiddenSelection& selection);

  // Lists leave out the hidden series without a visible point, an annotation or a histogram.
  void Unlist(const HiddenSelection& selection) const;

  // Points::Deletions.
  absl::StatusOr<std::vector<Deletion>> List() const;

  // Points::Undo and Points::Forget. REQUIRES of Undo: no level is computed meanwhile
  // (RollupKeeper::WhileAtRest).
  absl::Status Undo(uint64_t id);
  absl::Status Forget(uint64_t id);

  // Removes the points of deletes that cannot be undone any more. After an error, or Stop, the next
  // call continues.
  absl::Status RemoveDue();

  // Continues the undos that an ended process had begun. Before the store is read.
  absl::Status ContinueUndo();

  // RemoveDue and Forget end soon. For a store that is being closed.
  void Stop() { is_stopped_.store(true); }

 private:
  using Rows = std::vector<DeletionRow>;

  absl::StatusOr<std::vector<Rows>> AllById() const;
  absl::StatusOr<Rows> RowsOf(uint64_t id) const;
  absl::Status WriteRecords(const HiddenSelection& selection, const DeletionRow& model);
  absl::StatusOr<bool> HasTakenOut(uint64_t id) const;
  absl::Status MarkRollups(const Rows& rows) const;
  absl::Status BeginUndo(uint64_t id, Rows* rows);
  absl::Status FinishUndo(const Rows& rows);
  void ListAgain(Rows rows) const;
  absl::Status Remove(Rows rows) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_);
  absl::Status SetState(DeletionState state, Rows* rows);
  absl::Status DeleteRecords(const Rows& rows);
  void HideWithout(uint64_t id);
  const Layout& layout() const { return parts_.row_keys->layout(); }

  const Parts parts_;
  std::atomic<bool> is_stopped_{false};
  Mutex work_;  // one undo or removal at a time
};

}  // namespace hourcell
