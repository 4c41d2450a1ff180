#include "engine/scan/scan_workers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/named_thread.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

// With several tasks, workers end at about the same time, though their bytes are estimates.
constexpr uint64_t kTasksPerWorker = 4;
// Fewer bytes do not justify a seek.
constexpr uint64_t kTaskBytesMin = 64 << 10;

// Sets `*rows` to the part of `interval` from its first stored row to its last; false without rows.
// In that part the middle of the keys as numbers is near the middle of the rows.
absl::StatusOr<bool> NarrowToRows(const BucketInterval& interval,
                                  TableId table,
                                  TableView* view,
                                  BucketInterval* rows) {
  const std::unique_ptr<RowCursor> cursor =
      view->NewCursor(table, {.begin = interval.start, .end = interval.stop});
  cursor->Seek(interval.start);
  if (!cursor->valid()) {
    HOURCELL_RETURN_IF_ERROR(cursor->status());
    return false;
  }
  *rows = {.bucket = interval.bucket, .start = std::string(cursor->key()), .stop = {}};
  cursor->SeekToLast();
  HOURCELL_RETURN_IF_ERROR(cursor->status());
  HOURCELL_CHECK(cursor->valid());
  rows->stop = AfterKey(cursor->key());
  return true;
}

// The tasks of one interval.
absl::StatusOr<std::vector<ScanTask>> TasksOf(const BucketInterval& interval,
                                              std::span<const RegionBytes> regions,
                                              const ScanTaskOptions& options,
                                              TableId table,
                                              TableView* view) {
  BucketInterval rows;
  HOURCELL_ASSIGN_OR_RETURN(const bool has_rows, NarrowToRows(interval, table, view, &rows));
  if (!has_rows) return std::vector<ScanTask>{{.start = interval.start, .stop = interval.stop}};
  HOURCELL_ASSIGN_OR_RETURN(std::vector<ScanTask> tasks,
                            PlanScanTasks({&rows, 1}, regions, options));
  // New rows may appear anywhere in the interval.
  tasks.front().start = interval.start;
  tasks.back().stop = interval.stop;
  return tasks;
}

}  // namespace

absl::StatusOr<ScanWorkPlan> PlanScanWork(std::span<const BucketInterval> intervals,
                                          TableId table,
                                          const ScanWorkOptions& options,
                                          RegionList* list,
                                          TableView* view) {
  HOURCELL_CHECK(!intervals.empty() && options.workers > 0);
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses, list->RegionUses(table));
  std::vector<RegionBytes> regions;
  for (const RegionUse& use : uses) {
    regions.push_back({.start = use.region.range.start,
                       .end = use.region.range.end,
                       .bytes = use.file_bytes + use.memory_bytes});
  }
  const auto bytes_between = [&](std::string_view start, std::string_view stop) {
    return list->ApproximateBytes(table, {.begin = std::string(start), .end = std::string(stop)})
        .value_or(0);
  };
  uint64_t all = 0;
  for (const BucketInterval& interval : intervals)
    all += bytes_between(interval.start, interval.stop);
  const uint64_t share = std::max(kTaskBytesMin, all / (options.workers * kTasksPerWorker));
  const ScanTaskOptions task_options{.task_bytes_max = std::min(options.task_bytes_max, share),
                                     .estimate = bytes_between};
  ScanWorkPlan plan;
  for (const BucketInterval& interval : intervals) {
    HOURCELL_ASSIGN_OR_RETURN(std::vector<ScanTask> of_interval,
                              TasksOf(interval, regions, task_options, table, view));
    for (ScanTask& task : of_interval) {
      task.bucket = interval.bucket;
      plan.tasks.push_back(std::move(task));
    }
  }
  plan.workers = AssignWorkers(plan.tasks, std::min(options.workers, plan.tasks.size()));
  // A worker reads its tasks in key order.
  for (std::vector<size_t>& worker : plan.workers)
    std::ranges::sort(worker);
  return plan;
}

absl::Status ScanWorkers::Run(const ScanWorkPlan& plan, const Work& work) {
  {
    MutexLock lock(&mutex_);
    first_ = absl::OkStatus();
  }
  has_failed_ = false;
  std::vector<NamedThread> threads;
  for (size_t worker = 1; worker < plan.workers.size(); ++worker)
    threads.emplace_back("hc-scan", [&, worker] { RunWorker(plan, worker, work); });
  RunWorker(plan, 0, work);
  for (NamedThread& thread : threads)
    thread.Join();
  MutexLock lock(&mutex_);
  if (!first_.ok()) return std::exchange(first_, absl::OkStatus());
  return is_cancelled() ? absl::CancelledError("scan: cancelled") : absl::OkStatus();
}

void ScanWorkers::RunWorker(const ScanWorkPlan& plan, size_t worker, const Work& work) {
  for (const size_t task : plan.workers[worker]) {
    if (ShouldStop()) return;
    absl::Status done = work(worker, plan.tasks[task]);
    if (done.ok()) continue;
    MutexLock lock(&mutex_);
    if (first_.ok()) first_ = std::move(done);
    has_failed_ = true;
    return;
  }
}

}  // namespace hourcell
