// Sealer: turns open hours into cells, and moves the journal's low mark past them.
//
//   open hours -> freeze -> cells, merged into their rows without RocksDB's log
//             -> flush of the data table -> low mark in the system table, synced
//             -> segments deleted
//
// An hour is sealed a grace time after its end and its last write. Under pressure, the sealer first
// takes the hours that free most memory or journal: the largest hours, and those that need the
// oldest blocks. An hour that is sealed early opens again with its next point, and the row gets one
// more cell to merge.
//
// If damage removed an hour's series from the tables, the hour does not have a row. Then the sealer
// sets its cell aside in the system table, so that other hours are sealed and no point is lost,
// warns, and counts it in seal.set_aside. It does the same with a cell that the storage refuses
// permanently (kInvalidArgument), for example because the row is too large. Hours are sealed in
// pieces of a thousand; a failed piece does not stop the others, unless the storage is unavailable.
//
//   aside/<series number>/<base time, s>/<first journal block>   the cell; decimal text
//
// Hours in a lagging region (Tables::IsLagging) stay open for a second while others are sealed. If
// all hours are to be sealed, the sealer waits for the region. If the open hours hold up the
// journal, the sealer copies their points to its end, so that its log start can move: see
// docs/decisions/0014.
//
// Hour ends use the wall clock (which may step); all other timing is monotonic.
//
// One round at a time; rounds run on the sealer's thread and on callers' threads. Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/rows/row_key.h"
#include "engine/hours/open_hours.h"
#include "engine/journal/journal.h"
#include "engine/maintenance.h"
#include "engine/options.h"
#include "engine/rollups/marks/rollup_marks.h"
#include "engine/series/active_sets.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/store_observer.h"
#include "engine/table/retention.h"
#include "engine/table/table_maintenance.h"
#include "engine/table/tables.h"
#include "engine/write/admission.h"
#include "engine/write/group_commit.h"
#include "engine/write/sealed_cells.h"

namespace hourcell {

class Sealer {
 public:
  // Borrowed; they outlive the sealer.
  struct Parts {
    OpenHours* open_hours = nullptr;
    Journal* journal = nullptr;
    Tables* tables = nullptr;
    TableMaintenance* maintenance = nullptr;  // of the same store
    SeriesTable* series = nullptr;            // its rows that wait in memory are written in passing
    ActiveSets* active = nullptr;             // so are its sets, and before each cell
    RollupMarks* rollups = nullptr;           // its marks are written before each cell; may be null
    Admission* admission = nullptr;
    GroupCommit* commit = nullptr;      // writes points once more
    const RowExpiry* expiry = nullptr;  // null: nothing expires
    Clock* clock = nullptr;
    Stats* stats = nullptr;
    std::function<void(std::string_view message)> warn = {};  // may be empty
  };
  Sealer(const Options& options, const RowKeyCodec& row_keys, const Parts& parts);

  // Seals all hours that are due, makes room under pressure, and moves the low mark if that is
  // worth it.
  // Errors are storage's; hours that were not sealed stay open and in the journal.
  absl::Status SealDue();

  // A small part of SealDue, to be called several times a second: when an hour ends for a million
  // series, their cells are spread over half a minute.
  absl::Status Tick();

  // Seals hours early until memory is below its target; does not move the low mark. For a replay,
  // which still needs the journal.
  absl::Status MakeRoom();

  // Seals all open hours. kCancelled: `control` stopped it, which is checked between pieces of a
  // thousand hours; hours sealed by then stay sealed.
  absl::Status SealAll(const SealControl& control = {});

  // Sealing ends `limit_ms` from now with kDeadlineExceeded. Hours still open then stay in the
  // journal. For a store that is being closed. Thread-safe, also during a round.
  void EndWithin(int64_t limit_ms);

  // Flushes the cells sealed so far, moves the low mark past them, and deletes the journal's
  // segments below it.
  absl::Status Checkpoint();

  // Seals all hours, then calls `change`, which rewrites rows and may take long, while no other
  // cell is written. Then makes a checkpoint after all journal blocks written by then, so that no
  // replay restores points that `change` removed. For that, `change` must end by committing all
  // pending sections. Hours opened meanwhile are sealed early.
  // Errors are storage's and those of `change`. After an error, or a crash, some rows may be
  // changed and others not.
  absl::Status WithSealed(const std::function<absl::Status()>& change);

  // As WithSealed, but makes a checkpoint before `change`, too, and commits for it: wherever the
  // process ends, no replay restores a point that was put before the call and that `change` hides.
  absl::Status WithCheckpoint(const std::function<absl::Status()>& change);

  // Calls `work` while no cell is written and the low mark stays; returns its result.
  absl::Status WithSealingPaused(const std::function<absl::Status()>& work);

 private:
  // Treatment of hours in a lagging region.
  enum class Lagging : uint8_t { kPutOff, kWaitFor };

  absl::Status Seal(std::vector<OpenHourInfo> hours,
                    Lagging lagging,
                    const SealControl& control = {}) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status CheckGoOn(size_t left, const SealControl& control) const;
  absl::Status SealSome(std::span<const OpenHourInfo> hours, Lagging lagging)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status WriteCells(std::span<const FrozenHour> hours,
                          Lagging lagging,
                          std::vector<bool>* is_put_off) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  bool IsPutOff(const FrozenHour& hour, std::string_view row) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  void DropPutOff(std::vector<OpenHourInfo>* hours) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status WriteMerges(const SealedCells& cells,
                           std::span<const FrozenHour> hours,
                           std::vector<FrozenHour>* refused) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status TellObservers(std::span<const SealedCells::HourCell> cells,
                             std::span<const FrozenHour> hours,
                             std::span<const std::string_view> tsuids,
                             std::span<const FrozenHour> refused)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status FindTsuids(std::span<const FrozenHour> hours,
                          std::vector<std::string>* tsuids) const;
  absl::Status Merge(std::span<const Mutation> merges, size_t first, std::vector<size_t>* refused)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status SetAside(std::span<const FrozenHour> hours, std::string_view why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status MakeRoomLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status CheckpointAfterSeal() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status CheckpointLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status SealWhatNeeds(uint64_t end_block, Lagging lagging)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  void WriteSets() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  void IndexSeries() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  std::vector<OpenHourInfo> OpenNow() const;
  std::vector<OpenHourInfo> DueNow() const;
  std::vector<OpenHourInfo> OpenBefore(uint64_t end_block) const;
  int64_t NowS() const { return parts_.clock->MonotonicMs() / 1000; }
  absl::Status KeepUp() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  uint64_t OldestBlockByAge() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status RelieveJournal() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status CopyWhatNeeds(uint64_t end_block) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status Copy(std::span<const OpenHourInfo> hours) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  bool CheckpointIsDue() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);

  const int64_t grace_s_;
  const int64_t journal_age_s_;
  const CellEncoding encoding_;
  const uint32_t day_points_max_;
  const std::vector<StoreObserver*> observers_;
  const RowKeyCodec& row_keys_;
  const Parts parts_;
  Counter* const hours_sealed_;
  Counter* const hours_sealed_early_;
  Counter* const points_sealed_;
  Counter* const points_expired_;
  Counter* const hours_set_aside_;
  Counter* const points_set_aside_;
  Counter* const hours_put_off_;
  Counter* const errors_;
  Counter* const checkpoints_;
  Counter* const hours_copied_;
  std::atomic<int64_t> end_ms_{0};  // of EndWithin, by the monotonic clock; 0: none

  Mutex round_;
  std::vector<OpenHourInfo> due_ ABSL_GUARDED_BY(round_);  // found by Tick, not sealed yet
  int64_t next_look_s_ ABSL_GUARDED_BY(round_) = 0;
  // Series with an hour in a region that lags: not tried again before then.
  absl::flat_hash_set<SeriesNumber> put_off_ ABSL_GUARDED_BY(round_);
  int64_t put_off_until_ms_ ABSL_GUARDED_BY(round_) = 0;
  int64_t indexed_s_ ABSL_GUARDED_BY(round_) = 0;  // when IndexSeries was called last
  CellColumns columns_ ABSL_GUARDED_BY(round_);
  size_t unflushed_bytes_ ABSL_GUARDED_BY(round_) = 0;  // of cells
  int64_t unflushed_since_s_ ABSL_GUARDED_BY(round_) = 0;
  int64_t no_relief_until_ms_ ABSL_GUARDED_BY(round_) = 0;  // a checkpoint freed nothing
  // Which block came next at what time, a minute apart, oldest first.
  struct Milestone {
    int64_t time_s;
    uint64_t block;
  };
  std::deque<Milestone> milestones_ ABSL_GUARDED_BY(round_);
};

}  // namespace hourcell
