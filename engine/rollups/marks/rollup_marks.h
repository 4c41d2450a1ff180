// RollupMarks: how far the levels of each metric with a rule are computed, and the hours below that
// whose points changed since (docs/decisions/0039-rollups-by-rules.md).
//
//   1970 ... computed, but for marked hours ... until | being computed ... limit | not computed
//
// An hour below the limit that a lane opens becomes a mark in memory when the list of opened hours
// is taken (active_sets.h), and a row before its cell is written. A crash before that loses both,
// and the replay of the journal opens the hour again. So an hour that differs from its levels is
// open, or marked.
//
// Marks that are too many become a lower `until`. Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/rows/uid.h"
#include "engine/rollups/marks/rollup_rows.h"
#include "engine/table/tables.h"

namespace hourcell {

// A mark as the keeper takes it. Noted again, it has another note.
struct NotedMark {
  RollupMark mark;
  uint64_t note = 0;
};

class RollupMarks {
 public:
  // Marks of a metric before its `until` falls to the first one.
  static constexpr size_t kMarksMax = 65'536;

  // Reads the rows. `is_kept`: programs that keep marks wrote all cells of the store
  // (ReadRollupMarksAreKept); otherwise nothing is known to be computed, and the rows are deleted.
  // `marks_max`: for tests. kDataLoss: a row does not decode.
  static absl::StatusOr<std::unique_ptr<RollupMarks>> Open(Tables* tables,
                                                           bool is_kept,
                                                           size_t marks_max = kMarksMax);

  // --- Hours that lanes open.

  // Only hours before this can be below a limit.
  uint64_t LateBeforeS() const { return late_before_s_.load(std::memory_order_relaxed); }

  // Marks an hour if it is below the limit of the metric. In memory: Write makes it a row.
  void Note(Uid metric, SeriesNumber series, uint64_t hour_s);

  // Writes the rows of new marks, not synced. After an error, the next call retries. Called before
  // the cells of the hours are written.
  absl::Status Write();

  // --- Queries.

  // Hours of the metric in [from_s, result) are computed and not marked. At most `from_s` if none
  // are. The caller takes the hours that lanes opened first (ActiveSets::TakeOpened).
  uint64_t CleanUntilS(Uid metric, uint64_t from_s) const;

  // --- The keeper. One thread at a time.

  // Nothing: the metric lacks a watermark.
  std::optional<RollupUntil> UntilOf(Uid metric) const;
  std::vector<Uid> Metrics() const;

  // Gives the metric a watermark of 0, without marks; synced.
  absl::Status Begin(Uid metric, const std::string& fingerprint);

  // From now on hours below `limit_s` become marks. REQUIRES: Begin.
  void Promise(Uid metric, uint64_t limit_s);

  // The levels have all hours before `until_s`, but for marked ones. A watermark that fell since
  // Promise stays.
  struct Advance {
    Uid metric = 0;
    uint64_t from_s = 0;  // the watermark
    uint64_t until_s = 0;
  };
  absl::Status AdvanceAll(std::span<const Advance> advances);  // in one synced group

  // At most `max` marks of the metric, by time.
  std::vector<NotedMark> MarksOf(Uid metric, size_t max) const;

  // The marks of more than an hour.
  std::vector<NotedMark> RangesOf(Uid metric) const;

  // Removes marks, except those noted again since MarksOf.
  absl::Status Remove(Uid metric, std::span<const NotedMark> marks);

  // --- Other changes of points. Synced, before the change.

  // Marks hours of all series below the limit; does nothing for a metric without a watermark.
  absl::Status MarkRange(Uid metric, const RollupMark& range);

  // The watermark falls to `until_s` if it is above.
  absl::Status Lower(Uid metric, uint64_t until_s);

  // Removes the watermark and the marks, as before Begin.
  absl::Status Forget(Uid metric);

 private:
  struct State {
    RollupUntil until;
    uint64_t limit_s = 0;
    struct Mark {
      uint64_t note = 0;
      bool is_written = false;
    };
    std::map<RollupMark, Mark> marks = {};
    std::set<RollupMark> ranges = {};       // of `marks`: those of more than an hour
    std::vector<RollupMark> obsolete = {};  // marks that fell with `until`, and have rows
    bool is_promised = false;               // since Promise, `until` did not fall
  };
  struct Taken;

  RollupMarks(Tables* tables, size_t marks_max) : tables_(*tables), marks_max_(marks_max) {}
  absl::Status Load();
  absl::Status DeleteRows();
  void AddLocked(State* state, const RollupMark& mark, bool is_written)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LowerLocked(State* state, uint64_t until_s) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetLateLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Taken TakeLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PutBackLocked(Taken taken) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status WriteAlone(bool sync) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);

  Tables& tables_;
  const size_t marks_max_;
  std::atomic<uint64_t> late_before_s_{0};  // the highest limit

  Mutex write_mutex_;  // one write of rows at a time
  mutable Mutex mutex_;
  std::map<Uid, State> states_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<Uid, RollupMark>> unwritten_ ABSL_GUARDED_BY(mutex_);
  std::set<Uid> lowered_ ABSL_GUARDED_BY(mutex_);  // whose `until` fell, and has its old row
  uint64_t notes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace hourcell
