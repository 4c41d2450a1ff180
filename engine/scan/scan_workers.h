// Scan workers: intervals of a table's keys as lists of tasks, one list a thread, and the threads
// that run them. The stored half of ParallelScan: keys and bytes only.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "engine/parallel_scan.h"
#include "engine/regions/keys/key_distributor.h"
#include "engine/regions/keys/scan_tasks.h"
#include "engine/table/region_list.h"

namespace hourcell {

struct ScanWorkPlan {
  // Disjoint, by interval, then by key; together they are the intervals. Each is in one region;
  // ScanTask::region is its position in `regions`.
  std::vector<ScanTask> tasks;
  std::vector<ScannedRegion> regions;        // that tasks are in, ascending by start
  std::vector<std::vector<size_t>> workers;  // into tasks; none is empty
};

struct ScanWorkOptions {
  size_t workers = 1;
  uint64_t task_bytes_max = UINT64_MAX;
};

// Cuts intervals at the bounds of regions and into smaller tasks, and distributes the tasks. The
// cuts are estimates from the present regions and bytes; even if these change, each key of the
// intervals is in one task. Errors: storage's; kInvalidArgument: an interval is empty. REQUIRES: an
// interval, a worker.
absl::StatusOr<ScanWorkPlan> PlanScanWork(std::span<const BucketInterval> intervals,
                                          TableId table,
                                          const ScanWorkOptions& options,
                                          RegionList* list,
                                          TableView* view);

// Runs plans. Thread-compatible, but for Cancel and ShouldStop.
class ScanWorkers {
 public:
  using Work = std::function<absl::Status(size_t worker, const ScanTask& task)>;

  // Calls `work` for each task, in the thread of its worker; the first worker is the caller's.
  // Returns when all have ended, with the first status that was not OK. kCancelled.
  absl::Status Run(const ScanWorkPlan& plan, const Work& work);

  // The work of a task checks this from time to time, and may return OK early if it is true.
  bool ShouldStop() const {
    return has_failed_.load(std::memory_order_relaxed) ||
           is_cancelled_.load(std::memory_order_relaxed);
  }

  void Cancel() { is_cancelled_.store(true, std::memory_order_relaxed); }
  bool is_cancelled() const { return is_cancelled_.load(std::memory_order_relaxed); }

 private:
  void RunWorker(const ScanWorkPlan& plan, size_t worker, const Work& work);

  std::atomic<bool> is_cancelled_{false};
  std::atomic<bool> has_failed_{false};
  Mutex mutex_;
  absl::Status first_ ABSL_GUARDED_BY(mutex_);  // the first that was not OK
};

}  // namespace hourcell
