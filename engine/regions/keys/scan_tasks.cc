#include "engine/regions/keys/scan_tasks.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/regions/presplit/split_algorithm.h"

// Why tasks and not one thread for each region: regions differ in size, and a thread that got
// the largest would finish last. So pieces are halved while they are large, and the largest
// piece left goes to the worker with the least, which is at most 4/3 of the best there is
// (Graham 1969). Order between tasks is not kept; an ordered scan is another thing
// (engine/scan/ordered_scan.h).

namespace hourcell {
namespace {

// The lesser of two ends; an empty end is unbounded.
std::string_view EarlierEnd(std::string_view a, std::string_view b) {
  if (a.empty()) return b;
  return b.empty() ? a : std::min(a, b);
}

absl::Status CheckTiling(std::span<const RegionBytes> regions) {
  std::string_view end;  // of the region before
  for (size_t i = 0; i < regions.size(); ++i) {
    const bool is_last = i + 1 == regions.size();
    if (regions[i].start != end || regions[i].end.empty() != is_last ||
        IsEmptyRange(regions[i].start, regions[i].end)) {
      return absl::InvalidArgumentError(fmt::format(
          "scan tasks: expected regions without gap or overlap, got region {} as [{}, {}) after {}",
          i, QuoteForMessage(regions[i].start), QuoteForMessage(regions[i].end),
          QuoteForMessage(end)));
    }
    end = regions[i].end;
  }
  if (!regions.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("scan tasks: expected one at least, got no region");
}

// The pieces of an interval, one a region.
void CutAtRegions(const BucketInterval& interval,
                  std::span<const RegionBytes> regions,
                  std::vector<ScanTask>* tasks) {
  const auto above = std::upper_bound(
      regions.begin(), regions.end(), interval.start,
      [](std::string_view start, const RegionBytes& region) { return start < region.start; });
  for (auto i = static_cast<size_t>(above - regions.begin()) - 1; i < regions.size(); ++i) {
    const std::string_view start = std::max<std::string_view>(interval.start, regions[i].start);
    if (IsEmptyRange(start, interval.stop)) break;
    tasks->push_back({.bucket = interval.bucket,
                      .region = i,
                      .start = std::string(start),
                      .stop = std::string(EarlierEnd(interval.stop, regions[i].end)),
                      .bytes = 0});
  }
}

// A key inside a task's range that splits its keys as numbers; empty if it would be outside.
std::string MiddleOf(const ScanTask& task) {
  // Without an end, numbers of as many bytes as the start, and one more, end at all ones.
  const std::string stop =
      task.stop.empty() ? std::string(std::max<size_t>(task.start.size(), 8), '\xff') : task.stop;
  const auto keys = SplitBytes(task.start, stop, /*counts_end=*/false, 1);
  if (!keys.ok()) return "";
  const std::string& middle = (*keys)[1];
  return middle > task.start && (task.stop.empty() || middle < task.stop) ? middle : "";
}

// The task, or its halves while they are too large, after `*tasks`.
void Halve(ScanTask task,
           const ScanTaskOptions& options,
           uint32_t halvings_left,
           std::vector<ScanTask>* tasks) {
  task.bytes = options.estimate(task.start, task.stop);
  const std::string middle =
      task.bytes > options.task_bytes_max && halvings_left > 0 ? MiddleOf(task) : "";
  if (middle.empty()) {
    tasks->push_back(std::move(task));
    return;
  }
  ScanTask upper = task;
  upper.start = middle;
  task.stop = middle;
  Halve(std::move(task), options, halvings_left - 1, tasks);
  Halve(std::move(upper), options, halvings_left - 1, tasks);
}

// Each region's bytes in equal parts to its pieces.
void ShareBytes(std::span<const RegionBytes> regions, std::vector<ScanTask>* tasks) {
  std::vector<uint64_t> pieces(regions.size());
  for (const ScanTask& task : *tasks)
    ++pieces[task.region];
  for (ScanTask& task : *tasks)
    task.bytes = regions[task.region].bytes / pieces[task.region];
}

}  // namespace

absl::StatusOr<std::vector<ScanTask>> PlanScanTasks(std::span<const BucketInterval> intervals,
                                                    std::span<const RegionBytes> regions,
                                                    const ScanTaskOptions& options) {
  HOURCELL_RETURN_IF_ERROR(CheckTiling(regions));
  std::vector<ScanTask> pieces;
  for (const BucketInterval& interval : intervals) {
    if (IsEmptyRange(interval.start, interval.stop)) {
      return absl::InvalidArgumentError(fmt::format(
          "scan tasks: expected an end above it, got the interval [{}, {}) of bucket {}",
          QuoteForMessage(interval.start), QuoteForMessage(interval.stop), interval.bucket));
    }
    CutAtRegions(interval, regions, &pieces);
  }
  if (!options.estimate) {
    ShareBytes(regions, &pieces);
    return pieces;
  }
  std::vector<ScanTask> tasks;
  for (ScanTask& piece : pieces)
    Halve(std::move(piece), options, kHalvingsMax, &tasks);
  return tasks;
}

std::vector<std::vector<size_t>> AssignWorkers(std::span<const ScanTask> tasks, size_t workers) {
  HOURCELL_CHECK(workers > 0);
  std::vector<size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return tasks[a].bytes > tasks[b].bytes; });
  std::vector<std::vector<size_t>> work(workers);
  // The worker with the least bytes first, of equal ones the lower.
  std::vector<std::pair<uint64_t, size_t>> heap(workers);
  for (size_t worker = 0; worker < workers; ++worker)
    heap[worker] = {0, worker};
  for (const size_t task : order) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    work[heap.back().second].push_back(task);
    // Spreads empty tasks, too.
    heap.back().first += std::max<uint64_t>(tasks[task].bytes, 1);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  }
  return work;
}

}  // namespace hourcell
