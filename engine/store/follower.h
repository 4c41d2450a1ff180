// Follower: what a process that reads a store beside its writer knows of it. Before each read it
// catches up: it reads the blocks of the journal that are new, and asks the storage whether
// something was changed that is no new point, name or series. So a read has every point that was
// acknowledged before it began, and asks nobody but the storage.
//
//   blocks from its own next one on -> open hours, and the series that they name
//   then the log start: if it is above the first block that was looked for, blocks may have been
//   deleted unread
//   then the count of changes: if it is another one, what is kept of names, TTLs, salts and
//   deletions may be wrong
//
// In both cases, and after damage, it loads: it makes new open hours from the low mark on, beside
// those that reads under way still have, and forgets what it keeps. An hour leaves its memory when
// the front is above the last block that has points of it: they are in cells then.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/rows/layout.h"
#include "codec/rows/salt_schedule.h"
#include "engine/annotations/annotation_store.h"
#include "engine/hours/open_hours.h"
#include "engine/journal/journal.h"
#include "engine/series/metric_series.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/table/retention.h"
#include "engine/table/storage_engine.h"
#include "engine/table/tables.h"
#include "engine/write/point_replay.h"
#include "uid/uid_directory.h"

namespace hourcell {

class Follower {
 public:
  // What it works on; borrowed, outlives it.
  struct Parts {
    JournalTail* journal = nullptr;
    Tables* tables = nullptr;
    const Layout* layout = nullptr;
    SaltSchedule* salts = nullptr;
    Retention* retention = nullptr;
    UidDirectory* uids = nullptr;
    SeriesTable* series = nullptr;
    MetricSeriesCache* metric_series = nullptr;
    AnnotationStore* annotations = nullptr;
    size_t lanes = 0;
    Clock* clock = nullptr;
    Stats* stats = nullptr;
  };
  explicit Follower(const Parts& parts);

  // Returns when what is known is no older than the call. Calls that come at once share the work.
  // kUnavailable: the storage is away; kDataLoss: what it has does not fit together.
  absl::Status CatchUp();

  // The same in the background, so that reads have little to catch up on; nothing if somebody else
  // began to a moment ago.
  void Tick();

  // The open hours as of the last time that one of those ended well. They stay as long as they are
  // held; those that are held while others are loaded get no more points.
  std::shared_ptr<OpenHours> hours();

 private:
  absl::Status CatchUpAlone();
  absl::Status CatchUpOnce() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status ReadTail() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status Load() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status ForgetNames() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status ReadSalts() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  void DropSealed(uint64_t front) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  uint32_t NowS() const { return static_cast<uint32_t>(parts_.clock->MonotonicMs() / 1000); }

  const Parts parts_;
  Counter* const catch_ups_;
  Counter* const loads_;
  Counter* const blocks_;

  Mutex work_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);  // held while it catches up
  std::shared_ptr<OpenHours> loading_ ABSL_GUARDED_BY(work_mutex_);
  std::unique_ptr<PointReplay> replay_ ABSL_GUARDED_BY(work_mutex_);  // null: to be loaded
  uint64_t next_ ABSL_GUARDED_BY(work_mutex_) = 0;                    // block to be read
  uint64_t front_ ABSL_GUARDED_BY(work_mutex_) = 0;                   // hours below it are dropped
  uint64_t changes_ ABSL_GUARDED_BY(work_mutex_) = 0;                 // that are known

  Mutex mutex_;
  CondVar has_ended_;
  std::shared_ptr<OpenHours> hours_ ABSL_GUARDED_BY(mutex_);
  bool is_under_way_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t begun_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t ended_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t begun_ms_ ABSL_GUARDED_BY(mutex_) = 0;  // the last, by the monotonic clock
  absl::Status last_ ABSL_GUARDED_BY(mutex_);     // how the last one ended
};

// The journal of a process that writes none: it has no blocks and takes none.
std::unique_ptr<Journal> MakeReadOnlyJournal();

// kFailedPrecondition: of all that writes.
absl::Status OnlyReads();

}  // namespace hourcell
