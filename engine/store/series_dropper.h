// SeriesDropper: drops series that have no points any more while the store is in use, some at a
// time: their numbers, tsuids and places in posting sets (series_drop.h). Names and UIDs stay, as
// row keys of any table may hold a UID, and a UID without its name cannot be read.
//
// A series has no points if it is in no active set of any day, as sets go only after the last row
// of their day (active_sets.h), and has no hour in a lane. A round of up to 65,536 series of one
// metric takes these steps, and as many calls as have to be waited for:
//
//   announce  they are on the list of DroppingSeries, and the cache of series forgets them. A put
//             that comes now has to look its series up, which takes it off the list.
//   check     once all puts have ended that were under way then: whatever has an hour, is in a set,
//             or has an annotation, stays.
//   wait      until the journal's low mark is past all blocks there were at the check. So no replay
//             finds a point or a definition of a series that is gone.
//   drop      what is still on the list, some hundred at a time, while nobody creates series. Their
//             rows are in files by then: what a crash takes back of the table's unlogged rows is
//             not made anew from its log rows.
//
// A metric is looked at when one of its sets was dropped or a delete took series out of them, and
// each once after open. Thread-safe.

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
  // What it works on; borrowed, outlives it.
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

  // Sets of the metric were dropped, or lost some series: these may have no points any more.
  void Add(Uid metric);

  // Takes the round as far as it goes without waiting, or begins one; drops no more than one round.
  // Errors are storage's; what failed is tried again by the next call.
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
  absl::Status KeepThoseInFiles(Numbers* numbers) ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);
  absl::Status Check() ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);
  absl::Status RemoveAnnotated() ABSL_EXCLUSIVE_LOCKS_REQUIRED(step_);
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
  // Where the first look at all metrics goes on; nothing: it has seen all.
  std::optional<std::string> next_metric_ ABSL_GUARDED_BY(step_);

  Mutex metrics_mutex_;
  std::deque<Uid> metrics_ ABSL_GUARDED_BY(metrics_mutex_);  // to be looked at, each once
};

}  // namespace hourcell
