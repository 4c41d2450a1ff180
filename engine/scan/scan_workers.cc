#include "engine/scan/scan_workers.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/named_thread.h"
#include "codec/base/status_macros.h"
#include "engine/regions/region_name.h"

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

// Pieces of the keys [start, stop), one for each region. The caller knows that all rows there are
// of open hours.
absl::StatusOr<std::vector<ScanTask>> TasksWithoutRows(std::string_view start,
                                                       std::string_view stop,
                                                       std::span<const RegionBytes> regions) {
  if (IsEmptyRange(start, stop)) return std::vector<ScanTask>();
  const BucketInterval keys{.start = std::string(start), .stop = std::string(stop)};
  const ScanTaskOptions no_bytes{
      .estimate = [](std::string_view, std::string_view) { return uint64_t{0}; }};
  return PlanScanTasks({&keys, 1}, regions, no_bytes);
}

// Appends tasks whose keys follow those of `*tasks`. If the first one is in the region of the
// last one of `*tasks`, both become one task.
void AppendTasks(std::vector<ScanTask> more, std::vector<ScanTask>* tasks) {
  auto next = more.begin();
  if (next != more.end() && !tasks->empty() && tasks->back().region == next->region) {
    tasks->back().stop = std::move(next->stop);
    tasks->back().bytes += next->bytes;
    ++next;
  }
  std::move(next, more.end(), std::back_inserter(*tasks));
}

// The tasks of one interval.
absl::StatusOr<std::vector<ScanTask>> TasksOf(const BucketInterval& interval,
                                              std::span<const RegionBytes> regions,
                                              const ScanTaskOptions& options,
                                              TableId table,
                                              TableView* view) {
  BucketInterval rows;
  HOURCELL_ASSIGN_OR_RETURN(const bool has_rows, NarrowToRows(interval, table, view, &rows));
  if (!has_rows) return TasksWithoutRows(interval.start, interval.stop, regions);
  HOURCELL_ASSIGN_OR_RETURN(std::vector<ScanTask> tasks,
                            TasksWithoutRows(interval.start, rows.start, regions));
  HOURCELL_ASSIGN_OR_RETURN(std::vector<ScanTask> with_rows,
                            PlanScanTasks({&rows, 1}, regions, options));
  HOURCELL_ASSIGN_OR_RETURN(std::vector<ScanTask> after,
                            TasksWithoutRows(rows.stop, interval.stop, regions));
  AppendTasks(std::move(with_rows), &tasks);
  AppendTasks(std::move(after), &tasks);
  return tasks;
}

ScannedRegion ScannedOf(const RegionInfo& region) {
  return {.id = region.id.value,
          .name = PrintableRegionName(region.table, region.range.start, region.id),
          .start = ToStringBinary(region.range.start),
          .end = ToStringBinary(region.range.end)};
}

// Lists the regions that have tasks, and numbers them anew.
void KeepRegionsOfTasks(std::span<const RegionUse> all, ScanWorkPlan* plan) {
  std::vector<size_t> position(all.size(), 0);
  for (const ScanTask& task : plan->tasks)
    position[task.region] = 1;
  for (size_t i = 0; i < all.size(); ++i) {
    if (position[i] == 0) continue;
    position[i] = plan->regions.size();
    plan->regions.push_back(ScannedOf(all[i].region));
  }
  for (ScanTask& task : plan->tasks)
    task.region = position[task.region];
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
  KeepRegionsOfTasks(uses, &plan);
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
