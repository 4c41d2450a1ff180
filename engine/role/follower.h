// Follower: the state of a process that reads a store while another process writes to it. Before
// each read it catches up: it reads the new blocks of the journal, and reads from the storage
// whether names, TTLs, salts or deletions changed. So a read has every point that was acknowledged
// before it began, and needs only the storage.
//
//   the journal's blocks after the last one read -> open hours, and the series that the blocks name
//   then the log start: if it is above the first block wanted, blocks may have been deleted unread
//   then the count of changes: if it differs, cached names, TTLs, salts and deletions may be wrong
//
// In the last two cases, and after damage, it loads: it drops its caches and reads new open hours
// from the low mark on. Reads that are under way keep the old ones. An hour leaves memory when the
// log start is above the last block that has points of it: its points are in cells then.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/rows/layout.h"
#include "codec/rows/salt_schedule.h"
#include "engine/annotations/annotation_store.h"
#include "engine/hours/open_hours.h"
#include "engine/names/virtual_metrics.h"
#include "engine/series/metric_series.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/storage/journal_tail.h"
#include "engine/table/retention.h"
#include "engine/table/tables.h"
#include "engine/write/point_replay.h"
#include "uid/uid_directory.h"

namespace hourcell {

class Follower {
 public:
  // Borrowed; they outlive the follower.
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
    VirtualMetrics* virtual_metrics = nullptr;
    // Reads again whether the tables have rows of days.
    std::function<absl::Status()> read_days_again = {};
    size_t lanes = 0;
    MonotonicClock* clock = nullptr;
    Stats* stats = nullptr;
  };
  explicit Follower(const Parts& parts);

  // Returns when the state is at least as new as the call. Concurrent calls share the work.
  // kUnavailable: the storage cannot be reached; kDataLoss: its contents are inconsistent.
  absl::Status CatchUp();

  // Catches up in the background, so that reads have little to do; returns at once if a catch-up
  // began a moment ago.
  void Tick();

  // The open hours after the last successful catch-up. The pointer keeps them alive. They get no
  // more points once the follower has loaded again.
  std::shared_ptr<OpenHours> hours();

 private:
  absl::Status CatchUpAlone();
  absl::Status CatchUpOnce() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status ReadTail() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status Load() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status ForgetNames() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  absl::Status ReadSalts() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  void DropSealed(uint64_t log_start) ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_);
  uint32_t NowS() const { return static_cast<uint32_t>(parts_.clock->MonotonicMs() / 1000); }

  const Parts parts_;
  Counter* const catch_ups_;
  Counter* const loads_;
  Counter* const blocks_;

  Mutex work_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);  // held while it catches up
  std::shared_ptr<OpenHours> loading_ ABSL_GUARDED_BY(work_mutex_);
  std::unique_ptr<PointReplay> replay_ ABSL_GUARDED_BY(work_mutex_);  // null: to be loaded
  uint64_t next_ ABSL_GUARDED_BY(work_mutex_) = 0;                    // block to be read
  uint64_t log_start_ ABSL_GUARDED_BY(work_mutex_) = 0;               // hours below it are dropped
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

// kFailedPrecondition: the answer to every write.
absl::Status OnlyReads();

}  // namespace hourcell
