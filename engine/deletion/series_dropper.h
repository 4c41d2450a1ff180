// SeriesDropper: drops series without points while the store is in use, in rounds: their numbers,
// tsuids and places in posting sets (series_drop.h). Names and UIDs stay, because row keys of any
// table may hold a UID, and a UID without its name cannot be read.
//
// A series is empty if no active set of any day contains it (a set goes only after the last row of
// its day, active_sets.h) and no lane holds an hour of it. A round of up to 65,536 series of one
// metric has these steps; a step that must wait continues in a later call:
//
//   announce  puts the series on the list of DroppingSeries and removes them from the cache of
//             series. A later put must look its series up, which takes it off the list.
//   check     after all puts under way at that time have ended: keeps series with an hour, a place
//             in a set, or an annotation.
//   wait      until the journal's low mark is past all blocks written before the check. Then no
//             replay finds a point or a definition of a dropped series.
//   drop      drops the series still on the list, some hundred at a time, while series creation is
//             blocked. Their rows are in files by then. So a crash, which loses unlogged rows of
//             the table, does not make rows again from their log rows.
//
// A metric is checked after one of its sets was dropped or lost series to a delete, and once after
// open. Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/rows/row_key.h"
#include "engine/hours/open_hours.h"
#include "engine/hours/read_pins.h"
#include "engine/hours/series_cache.h"
#include "engine/journal/journal.h"
#include "engine/series/active_sets.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/table/table_store.h"
#include "engine/write/group_commit.h"
#include "engine/write/sealer.h"

namespace hourcell {

class SeriesDropper {
 public:
  // Borrowed; they outlive the dropper.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    TableStore* tables = nullptr;
    SeriesTable* series = nullptr;
    SeriesCache* cache = nullptr;
    ActiveSets* active = nullptr;
    OpenHours* open_hours = nullptr;
    GroupCommit* commit = nullptr;
    Journal* journal = nullptr;
    Sealer* sealer = nullptr;
    ReadPins* puts = nullptr;  // each put has one from before it looks for series
    Stats* stats = nullptr;
  };
  explicit SeriesDropper(const Parts& parts);

  // Sets of the metric were dropped or lost series: some series may be empty now.
  void Add(Uid metric);

  // Advances the round as far as possible without waiting, or begins one; drops at most one round.
  // Errors are storage's; the next call retries.
  absl::Status Step();

  // A step under way ends soon, and later ones do nothing. For a store that is being closed.
  void Stop() { is_stopped_.store(true); }

 private:
  using Numbers = std::vector<SeriesNumber>;  // ascending
  struct Round {
    Uid metric = kNoUid;
    Numbers numbers;
    SeriesNumber last_looked_at = 0;
    uint64_t announced_at = 0;  // of `puts`
    bool is_checked = false;
    uint64_t block = 0;  // that the low mark has to reach; once it is checked
  };

  absl::Status Begin() ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);
  absl::Status FindMetric() ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);
  absl::StatusOr<Numbers> FindEmpty(Uid metric) ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);
  absl::Status RemoveHidden(Uid metric, Numbers* numbers) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);
  absl::Status KeepThoseInFiles(Numbers* numbers) ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);
  absl::Status Check() ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);
  absl::StatusOr<bool> JournalIsPast(uint64_t block) const;
  absl::Status Drop(std::span<const SeriesNumber> numbers) ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);
  void End() ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);

  const Parts parts_;
  Counter* const dropped_;
  std::atomic<bool> is_stopped_{false};

  Mutex step_;  // one step at a time
  std::optional<Round> round_ ABSL_GUARDED_BY(step_);
  SeriesNumber above_ ABSL_GUARDED_BY(step_) = 0;  // of the first metric: looked at up to this one
  SeriesNumber in_files_ ABSL_GUARDED_BY(step_) = 0;  // index rows up to this one are
  // Where the first pass over all metrics continues; empty: the pass is complete.
  std::optional<std::string> next_metric_ ABSL_GUARDED_BY(step_);

  Mutex metrics_mutex_;
  std::deque<Uid> metrics_ ABSL_GUARDED_BY(metrics_mutex_);  // to be looked at, each once
};

}  // namespace hourcell
