#include "engine/parallel_scan.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/functional/function_ref.h>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "codec/base/status_macros.h"
#include "codec/base/stop_watch.h"
#include "codec/rows/salt.h"
#include "engine/scan/ordered_scan.h"
#include "engine/scan/row_scanner.h"
#include "engine/scan/scan_workers.h"
#include "engine/store/parallel_scan_parts.h"

namespace hourcell {
namespace {

// For RunInOrder: read-ahead of all buckets together, and the size of a block.
constexpr size_t kAheadBytes = 16 << 20;
constexpr size_t kBlockBytesMin = 16 << 10;
constexpr size_t kBlockBytesMax = 256 << 10;
// Blocks that a source has in memory.
constexpr size_t kBlocksOfSource = 3;

// Where the salt is in a row key.
KeyPiece SaltOf(const Layout& layout) {
  KeyPiece salt{.begin = 0, .size = layout.salt_width};
  for (const RowField field : layout.fields) {
    if (field == RowField::kSalt) break;
    salt.begin += field == RowField::kMetric ? layout.metric_width : sizeof(uint32_t);
  }
  return salt;
}

// The whole table by salt bucket, those of all epochs, where that comes first in a key.
std::vector<BucketInterval> BucketsOfTable(const RowKeyCodec& row_keys) {
  const Layout& layout = row_keys.layout();
  const bool is_salted = layout.fields.front() == RowField::kSalt;
  std::vector<BucketInterval> buckets(is_salted ? row_keys.salt_epochs().BucketsMaxIn(0, UINT64_MAX)
                                                : 1);
  for (uint32_t i = 1; i < buckets.size(); ++i) {
    buckets[i].bucket = i;
    AppendSalt(layout, i, &buckets[i].start);
    buckets[i - 1].stop = buckets[i].start;
  }
  return buckets;
}

}  // namespace

class ParallelScan::Body {
 public:
  // In this order, as in every read.
  Body(const Parts& parts, const ParallelScanOptions& options)
      : options_(options),
        row_keys_(*parts.row_keys),
        threads_(options.workers > 0 ? options.workers : ProcessorCount()),
        open_hours_(parts.open_hours),
        pin_(open_hours_->pins().Acquire()),
        view_(parts.tables->Snapshot()),
        scanner_parts_{.view = view_.get(),
                       .open_hours = open_hours_.get(),
                       .series = parts.series,
                       .uids = parts.uids,
                       .planner = parts.planner,
                       .pinned_at = pin_.time()} {}

  absl::Status Plan(const ScanSpec& spec, RegionList* regions) {
    HOURCELL_ASSIGN_OR_RETURN(selection_, RowScanner(row_keys_, scanner_parts_).Select(spec));
    if (spec.metric.empty()) {
      intervals_ = BucketsOfTable(row_keys_);
    } else {
      for (const KeyRange& range : selection_.ranges)
        intervals_.push_back({intervals_.size(), range.begin, range.end});
    }
    HOURCELL_ASSIGN_OR_RETURN(
        plan_, PlanScanWork(intervals_, TableId::kData,
                            {.workers = threads_, .task_bytes_max = options_.task_bytes_max},
                            regions, view_.get()));
    MutexLock lock(&mutex_);
    regions_ = plan_.regions;
    return absl::OkStatus();
  }

  const ScanWorkPlan& plan() const { return plan_; }
  std::vector<ScannedRegion> regions() const {
    MutexLock lock(&mutex_);
    return regions_;
  }
  void Cancel() {
    is_cancelled_ = true;
    runner_.Cancel();
  }

  absl::Status Run(const VisitInRegion& visit) {
    {
      MutexLock lock(&mutex_);
      regions_ = plan_.regions;
    }
    std::deque<RowScanner> scanners;  // they stay where they are made
    for (size_t i = 0; i < plan_.workers.size(); ++i)
      scanners.emplace_back(row_keys_, scanner_parts_);
    return runner_.Run(plan_, [&](size_t worker, const ScanTask& task) {
      return RunTask(task, &scanners[worker],
                     [&](const ScannedRow& row) { return visit(worker, task.region, row); });
    });
  }

  absl::Status RunInOrder(const std::function<bool(const ScannedRow&)>& visit) {
    const Layout& layout = row_keys_.layout();
    if (layout.salt_width > 0 && !row_keys_.has_bucket_ranges()) {
      return absl::UnimplementedError(
          "scan in order: the layout has the salt after the base time; expected it before");
    }
    std::vector<ScanRange> ranges;
    for (const BucketInterval& interval : intervals_)
      ranges.push_back({interval.start, interval.stop});
    const OrderedScan::Settings settings{
        .salt = SaltOf(layout),
        .threads = threads_ - 1,
        .block_bytes = std::clamp(kAheadBytes / (kBlocksOfSource * ranges.size()), kBlockBytesMin,
                                  kBlockBytesMax),
        .cancelled = &is_cancelled_};
    RowScanner scanner(row_keys_, scanner_parts_);
    std::atomic<bool> has_ended{false};
    const auto should_stop = [&] { return has_ended || is_cancelled_ || IsStopped(); };
    OrderedScan scan(std::move(ranges), settings,
                     [&](const ScanRange& range, const OrderedScan::Visit& add) {
                       return scanner.VisitRange(selection_, range, add, should_stop).status();
                     });
    const absl::Status done = scan.Run([&](std::string_view key, std::string_view cell) {
      return scanner.Show(key, cell, options_.opentsdb_bytes, visit);
    });
    has_ended = true;  // for those that still read ahead
    return is_cancelled_ ? absl::CancelledError("scan: cancelled") : done;
  }

 private:
  // True, and cancels the scan, if its owner wants no more.
  bool IsStopped() {
    if (!options_.should_stop || !options_.should_stop()) return false;
    Cancel();
    return true;
  }

  absl::Status RunTask(const ScanTask& task,
                       RowScanner* scanner,
                       absl::FunctionRef<absl::Status(const ScannedRow&)> visit) {
    ScannedRegion read;
    absl::Status visited;
    const auto show = [&](const ScannedRow& row) {
      ++read.rows;
      read.points += row.times.size();
      visited = visit(row);
      return visited.ok();
    };
    const auto add = [&](std::string_view key, std::string_view cell) {
      return scanner->Show(key, cell, options_.opentsdb_bytes, show);
    };
    const auto should_stop = [this] { return runner_.ShouldStop() || IsStopped(); };
    {
      const StopWatch watch(&read.us);
      visited.Update(
          scanner->VisitRange(selection_, {task.start, task.stop}, add, should_stop).status());
    }
    MutexLock lock(&mutex_);
    ScannedRegion& region = regions_[task.region];
    region.rows += read.rows;
    region.points += read.points;
    region.us += read.us;
    return visited;
  }

  const ParallelScanOptions options_;
  const RowKeyCodec& row_keys_;
  const size_t threads_;
  const std::shared_ptr<OpenHours> open_hours_;  // outlives its pin
  const ReadPins::Pin pin_;
  const std::unique_ptr<TableView> view_;
  const RowScanner::Parts scanner_parts_;
  RowScanner::Selection selection_;
  std::vector<BucketInterval> intervals_;
  ScanWorkPlan plan_;
  ScanWorkers runner_;
  std::atomic<bool> is_cancelled_{false};
  mutable Mutex mutex_;
  std::vector<ScannedRegion> regions_ ABSL_GUARDED_BY(mutex_);  // with the counts of the last run
};

absl::StatusOr<std::unique_ptr<ParallelScan>> ParallelScan::Plan(const ScanSpec& spec,
                                                                 const ParallelScanOptions& options,
                                                                 const Parts& parts) {
  auto body = std::make_unique<Body>(parts, options);
  HOURCELL_RETURN_IF_ERROR(body->Plan(spec, parts.regions));
  return std::unique_ptr<ParallelScan>(new ParallelScan(std::move(body)));
}

ParallelScan::ParallelScan(std::unique_ptr<Body> body) : body_(std::move(body)) {}
ParallelScan::~ParallelScan() = default;

size_t ParallelScan::workers() const {
  return body_->plan().workers.size();
}

size_t ParallelScan::tasks() const {
  return body_->plan().tasks.size();
}

std::vector<uint64_t> ParallelScan::WorkerBytes() const {
  std::vector<uint64_t> bytes;
  for (const std::vector<size_t>& worker : body_->plan().workers) {
    bytes.push_back(0);
    for (const size_t task : worker)
      bytes.back() += body_->plan().tasks[task].bytes;
  }
  return bytes;
}

std::vector<ScannedRegion> ParallelScan::regions() const {
  return body_->regions();
}

absl::Status ParallelScan::Run(const Visit& visit) {
  return body_->Run(
      [&visit](size_t worker, size_t, const ScannedRow& row) { return visit(worker, row); });
}

absl::Status ParallelScan::RunByRegion(const VisitInRegion& visit) {
  return body_->Run(visit);
}

absl::Status ParallelScan::RunInOrder(const std::function<bool(const ScannedRow& row)>& visit) {
  return body_->RunInOrder(visit);
}

void ParallelScan::Cancel() {
  body_->Cancel();
}

}  // namespace hourcell
