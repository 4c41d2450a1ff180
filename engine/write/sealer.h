// Sealer: turns open hours into cells, and moves the journal's low mark past them.
//
//   open hours -> freeze -> cells, merged into their rows without RocksDB's log
//             -> flush of the data table -> low mark in `meta`, synced -> segments deleted
//
// An hour is sealed when it ended, and was last written, a grace time ago; under pressure, whatever
// frees memory or journal soonest: the largest hours, and those that need the oldest blocks. An
// hour that is sealed early opens again with its next point, and the row gets one more cell to
// merge.
//
// An hour whose series is not in the tables has no row to go to. That cannot be, but for damage:
// its cell is set aside in `meta`, so that the others go on and nothing is lost, and is told and
// counted as seal.set_aside. So is a cell that the storage refuses for good (kInvalidArgument), say
// because its row has become too large. Hours are sealed in pieces of a thousand; a piece that
// fails holds up no other, unless the storage is away.
//
//   aside/<series number>/<base time, s>/<first journal block>   the cell; decimal text
//
// Hours whose region lags (Tables::IsLagging) stay open for a second, unless all is to be
// sealed: then they are waited for. The others go on. If they hold up the journal, their points are
// written to its end once more, so that its front can go: see docs/decisions/0014.
//
// Whether an hour is over is told by the wall clock, which may step; all else that is a matter of
// time, by the monotonic one.
//
// One round at a time; rounds run on a thread of their own and on callers' threads. Thread-safe.

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
#include "engine/options.h"
#include "engine/regions/live/region_loads.h"
#include "engine/seal_control.h"
#include "engine/series/active_sets.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/store_observer.h"
#include "engine/table/retention.h"
#include "engine/table/table_maintenance.h"
#include "engine/table/tables.h"
#include "engine/write/admission.h"
#include "engine/write/group_commit.h"

namespace hourcell {

class Sealer {
 public:
  // What the sealer works on; borrowed, outlives it.
  struct Parts {
    OpenHours* open_hours = nullptr;
    Journal* journal = nullptr;
    Tables* tables = nullptr;
    TableMaintenance* maintenance = nullptr;  // of the same store
    SeriesTable* series = nullptr;            // its rows that wait in memory are written in passing
    ActiveSets* active = nullptr;             // so are its sets, and before each cell
    Admission* admission = nullptr;
    GroupCommit* commit = nullptr;      // writes points once more
    const RowExpiry* expiry = nullptr;  // null: nothing expires
    RegionLoads* loads = nullptr;       // is told of the rows that are written; null: nobody is
    Clock* clock = nullptr;
    Stats* stats = nullptr;
    std::function<void(std::string_view message)> warn = {};  // none: nobody is told
  };
  Sealer(const Options& options, const RowKeyCodec& row_keys, const Parts& parts);

  // Seals all that is due, makes room under pressure, and moves the low mark if that is worth it.
  // Errors are storage's; what could not be sealed is still open and in the journal.
  absl::Status SealDue();

  // The same a little at a time, to be called several times a second: when an hour ends for a
  // million series, their cells are spread over half a minute.
  absl::Status Tick();

  // Seals early until memory is below its target; no low mark is moved. For a replay, which is not
  // done with the journal yet.
  absl::Status MakeRoom();

  // Seals everything that is open now. kCancelled: by `control`, which is asked between pieces of a
  // thousand hours; what is sealed by then stays so.
  absl::Status SealAll(const SealControl& control = {});

  // From now on sealing ends after `limit_ms` with kDeadlineExceeded. What is open then stays in
  // the journal. For a store that is being closed. Thread-safe, also beside a round.
  void EndWithin(int64_t limit_ms);

  // Flushes the cells sealed so far, moves the low mark past them, and deletes the journal's
  // segments below it.
  absl::Status Checkpoint();

  // Seals everything, calls `change`, which rewrites rows and may take long, while no other cell is
  // written, and then makes a checkpoint after all journal blocks written by then: no replay
  // brings back what `change` took away. For that, `change` ends with a commit of all there is to
  // commit. Hours that were opened meanwhile are sealed early.
  // Errors are storage's and those of `change`; then rows may be changed, and nothing is promised
  // of what a crash leaves of the change.
  absl::Status WithSealed(const std::function<absl::Status()>& change);

  // Calls `work` while no cell is written and the low mark stays; returns what it returns.
  absl::Status WithSealingPaused(const std::function<absl::Status()>& work);

 private:
  // What observers are told of an hour once its cell is written.
  struct ToldHour {
    SeriesNumber series = 0;
    std::string tsuid;
    uint32_t base_time_s = 0;
    std::string cell;
  };

  // What becomes of hours whose region lags.
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
  absl::Status TellObservers(std::span<const ToldHour> hours) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status FindTsuids(std::span<const FrozenHour> hours,
                          std::vector<std::string>* tsuids) const;
  absl::Status Merge(std::span<const Mutation> merges,
                     std::span<const FrozenHour> hours,
                     std::vector<FrozenHour>* refused) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status SetAside(std::span<const FrozenHour> hours, std::string_view why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status MakeRoomLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
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
  void AppendCell(const OpenHourPoints& points, std::string* cell)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);

  const int64_t grace_s_;
  const int64_t journal_age_s_;
  const CellEncoding encoding_;
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
