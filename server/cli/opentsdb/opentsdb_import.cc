#include "server/cli/opentsdb/opentsdb_import.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/point.h"
#include "server/cli/data/import_state.h"
#include "server/cli/long_work.h"
#include "server/cli/progress.h"

namespace hourcell {
namespace {

constexpr std::string_view kSourceImport = "import";
constexpr size_t kSinkBatchPoints = 10'000;
constexpr auto kShowPause = std::chrono::milliseconds(10);
// Limit of points per compared range, so that the source can answer.
constexpr uint64_t kComparedPoints = 5'000'000;
// Sums of floats depend on the order of points.
constexpr double kSumTolerance = 1e-9;

// A part of a metric's time, for one thread.
struct ImportUnit {
  std::string metric;
  TimeSlice range;
};

// Limits points per second. Thread-safe.
class PointRate {
 public:
  explicit PointRate(uint64_t per_second) : per_second_(per_second) {}

  // Waits until `points` more points are within the limit.
  void Take(size_t points) {
    if (per_second_ == 0) return;
    using Clock = std::chrono::steady_clock;
    Clock::time_point turn;
    {
      const MutexLock lock(&mutex_);
      turn = std::max(Clock::now(), next_);
      next_ =
          turn + std::chrono::microseconds(static_cast<int64_t>(points * 1'000'000 / per_second_));
    }
    std::this_thread::sleep_until(turn);
  }

 private:
  const uint64_t per_second_;
  Mutex mutex_;
  std::chrono::steady_clock::time_point next_ ABSL_GUARDED_BY(mutex_);
};

// The tags in the form of a LinePoint with has_any_names; empty if a name is empty.
std::string TagsText(const ResultSeries& series) {
  std::string text;
  for (const auto& [key, value] : series.tags) {
    if (key.empty() || value.empty()) return {};
    text += kTagSeparator;
    text += key;
    text += kTagSeparator;
    text += value;
  }
  return text;
}

Timestamp TimeOfMs(int64_t ms) {
  return {.ms = ms, .is_ms = ms % 1000 != 0};
}

QuerySpec SpecOf(const std::string& metric, TimeSlice slice, SubQuery query) {
  query.metric = metric;
  // OpenTSDB treats a start of 0 as missing.
  return {.start_ms = std::max<int64_t>(slice.start_s * 1000, 1),
          .end_ms = slice.end_s * 1000 - 1,
          .queries = {std::move(query)}};
}

SubQuery AllPoints() {
  SubQuery query;
  query.aggregator = Aggregator::kNone;
  return query;
}

SubQuery TotalOf(Aggregator function) {
  SubQuery query;
  query.aggregator = Aggregator::kSum;
  query.downsample = DownsampleSpec{.all = true, .function = function};
  return query;
}

// The target does not know a metric without written points.
bool IsUnknownMetric(const absl::Status& status) {
  return absl::IsNotFound(status) ||
         (absl::IsInvalidArgument(status) &&
          MessageOf(status).find("No such name") != std::string_view::npos);
}

struct PointTotals {
  double points = 0;
  double sum = 0;
};

bool AreSame(const PointTotals& a, const PointTotals& b) {
  const double most = std::max({std::abs(a.sum), std::abs(b.sum), 1.0});
  return a.points == b.points && std::abs(a.sum - b.sum) <= kSumTolerance * most;
}

class SourceImporter {
 public:
  SourceImporter(const OpenTsdbImportOptions& options, ImportTarget target, Terminal* terminal)
      : options_(options), target_(std::move(target)), terminal_(terminal), rate_(options.rate) {}

  int Run() {
    const int64_t start_ms = terminal_->clock->MonotonicMs();
    std::optional<LongWork> work(std::in_place, *terminal_, kSourceImport);
    if (const absl::Status begun = Begin(); !begun.ok()) {
      work->Clear();
      return Fail(*terminal_, kSourceImport, begun);
    }
    Import(&*work);
    work->Clear();
    Report(terminal_->clock->MonotonicMs() - start_ms);
    if (LongWork::signal() != 0) {
      return work->FailInterrupted(
          options_.state_file.empty()
              ? "run the same command again; points imported twice are stored once"
              : "run the same command with the same --state to continue");
    }
    const bool is_same = options_.skip_compare || Compare();
    return is_same && failures_.empty() ? kExitOk : kExitFailure;
  }

 private:
  absl::Status Begin() {
    HOURCELL_ASSIGN_OR_RETURN(state_,
                              ImportState::Open(options_.state_file, SourceName(), target_.name));
    metrics_ = options_.metrics;
    if (metrics_.empty()) {
      OpenTsdbSource source(options_.source, options_.patience, LongWork::cancelled());
      HOURCELL_ASSIGN_OR_RETURN(metrics_, source.Metrics());
    }
    for (const std::string& metric : metrics_) {
      for (const FinishedSlice& slice : state_->SlicesOf(metric)) {
        ++slices_before_;
        points_before_ += slice.points;
      }
    }
    const MutexLock lock(&mutex_);
    MakeUnits();
    return absl::OkStatus();
  }

  std::string SourceName() const {
    return fmt::format("{}://{}:{}{}", options_.source.scheme, options_.source.host,
                       options_.source.port, options_.source.prefix);
  }

  // Divides the time of a few metrics, so that every thread has work.
  void MakeUnits() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto [start_s, end_s] = options_.range;
    const size_t threads = target_.sinks.size();
    const size_t count = std::max<size_t>(1, metrics_.size());
    const auto parts = static_cast<int64_t>((threads + count - 1) / count);
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t from_s = std::min(end_s, std::max(start_s, kSliceOldEndS));
      const int64_t part_s = (end_s - from_s) / parts;
      const TimeSlice range{.start_s = part == 0 ? start_s : from_s + part * part_s,
                            .end_s = part == parts - 1 ? end_s : from_s + (part + 1) * part_s};
      for (const std::string& metric : metrics_)
        units_.push_back({.metric = metric, .range = range});
    }
  }

  void Import(LongWork* work) {
    std::vector<NamedThread> threads;
    running_.store(target_.sinks.size());
    for (const std::unique_ptr<PointSink>& sink : target_.sinks) {
      threads.emplace_back("hc-import", [this, &sink] {
        WorkOn(sink.get());
        running_.fetch_sub(1);
      });
    }
    while (running_.load() > 0) {
      work->Update({}, points_.load(), 0, "points");
      std::this_thread::sleep_for(kShowPause);
    }
    threads.clear();
  }

  void WorkOn(PointSink* sink) {
    OpenTsdbSource source(options_.source, options_.patience, LongWork::cancelled());
    while (!LongWork::cancelled()->load()) {
      std::optional<ImportUnit> unit;
      {
        const MutexLock lock(&mutex_);
        if (units_.empty()) return;
        unit = std::move(units_.front());
        units_.pop_front();
      }
      const absl::Status done = ImportUnitOf(*unit, &source, sink);
      if (done.ok() || absl::IsCancelled(done)) continue;
      const MutexLock lock(&mutex_);
      failures_.push_back(fmt::format("{}: {}", unit->metric, MessageOf(done)));
    }
  }

  absl::Status ImportUnitOf(const ImportUnit& unit, OpenTsdbSource* source, PointSink* sink) {
    std::vector<TimeSlice> finished;
    for (const FinishedSlice& slice : state_->SlicesOf(unit.metric))
      finished.push_back(slice.time);
    TimeSlices slices(unit.range, std::move(finished));
    while (const std::optional<TimeSlice> slice = slices.Next()) {
      if (LongWork::cancelled()->load()) return absl::CancelledError("interrupted");
      const absl::StatusOr<std::vector<ResultSeries>> series =
          source->Query(SpecOf(unit.metric, *slice, AllPoints()));
      if (absl::IsResourceExhausted(series.status())) {
        if (slices.Halve()) continue;
        return absl::ResourceExhaustedError(fmt::format(
            "the points of second {} alone: {}", slice->start_s, MessageOf(series.status())));
      }
      HOURCELL_RETURN_IF_ERROR(series.status());
      FinishedSlice done{.metric = unit.metric, .time = *slice};
      HOURCELL_RETURN_IF_ERROR(Write(*series, sink, &done));
      slices.Done(done.points);
      HOURCELL_RETURN_IF_ERROR(state_->Add(std::move(done)));
      slices_.fetch_add(1);
    }
    return absl::OkStatus();
  }

  absl::Status Write(const std::vector<ResultSeries>& answer,
                     PointSink* sink,
                     FinishedSlice* done) {
    std::vector<LinePoint> batch;
    std::deque<std::string> texts;  // of the batch's series; a deque keeps views valid
    for (const ResultSeries& series : answer) {
      if (series.points.empty()) continue;
      const std::string& tags = texts.emplace_back(TagsText(series));
      if (tags.empty()) {
        HOURCELL_RETURN_IF_ERROR(
            Refused(series.metric, "a series without tags, or with an empty name of one"));
        continue;
      }
      for (const ResultPoint& point : series.points) {
        // Stores do not have such values, but a query may print them.
        if (!std::isfinite(point.value.ToDouble())) continue;
        batch.push_back({.metric = series.metric,
                         .tags = tags,
                         .timestamp = TimeOfMs(point.ms),
                         .value = point.value,
                         .has_any_names = true});
        if (batch.size() < kSinkBatchPoints) continue;
        HOURCELL_RETURN_IF_ERROR(WriteBatch(&batch, sink, done));
      }
    }
    return batch.empty() ? absl::OkStatus() : WriteBatch(&batch, sink, done);
  }

  absl::Status WriteBatch(std::vector<LinePoint>* batch, PointSink* sink, FinishedSlice* done) {
    rate_.Take(batch->size());
    if (LongWork::cancelled()->load()) return absl::CancelledError("interrupted");
    std::vector<RefusedPoint> refused;
    HOURCELL_RETURN_IF_ERROR(sink->Write(*batch, &refused));
    for (const RefusedPoint& point : refused) {
      const LinePoint& line = (*batch)[point.index];
      HOURCELL_RETURN_IF_ERROR(Refused(
          fmt::format("{} {} {}", line.metric, line.timestamp.ms, line.tags), point.error.text));
    }
    for (const LinePoint& point : *batch)
      done->sum += point.value.ToDouble();
    done->points += batch->size();
    points_.fetch_add(batch->size() - refused.size());
    batch->clear();
    return absl::OkStatus();
  }

  // Handles a point or series that the target refuses.
  absl::Status Refused(std::string_view what, std::string_view why) {
    if (!options_.skip_errors) {
      return absl::InvalidArgumentError(
          fmt::format("{}: {}; --skip-errors leaves such points out", QuoteForMessage(what), why));
    }
    const MutexLock lock(&mutex_);
    if (refused_++ < kRefusalsNamed) {
      PrintTo(terminal_->err, "hourcell import: left out {}: {}\n", QuoteForMessage(what), why);
    }
    return absl::OkStatus();
  }

  void Report(int64_t ms) {
    const MutexLock lock(&mutex_);
    for (const std::string& failure : failures_)
      PrintTo(terminal_->err, "hourcell import: {}\n", failure);
    PrintTo(terminal_->out,
            "imported {} points of {} metrics in {} slices in {:.1f} s ({} points/s); {} slices "
            "with {} points were there; {} refused; {} failures\n",
            points_.load(), metrics_.size(), slices_.load(), static_cast<double>(ms) / 1000,
            PointsPerSecond(points_.load(), ms), slices_before_, points_before_, refused_,
            failures_.size());
  }

  // False if a metric differs, or the comparison fails.
  bool Compare() {
    OpenTsdbSource source(options_.source, options_.patience);
    const auto ask_source = [&source](const QuerySpec& spec) { return source.Query(spec); };
    bool is_same = true;
    PointTotals all;
    for (const std::string& metric : metrics_) {
      PointTotals there;
      PointTotals here;
      absl::Status status;
      for (const FinishedSlice& range : RangesOf(metric)) {
        status = AddTotals(metric, range, ask_source, &there);
        // Without "0all" in the source, uses the points as imported.
        if (absl::IsInvalidArgument(status)) {
          there.points += static_cast<double>(range.points);
          there.sum += range.sum;
          status = absl::OkStatus();
        }
        if (status.ok()) status = AddTotals(metric, range, target_.query, &here);
        if (!status.ok()) break;
      }
      is_same = Say(metric, status, there, here) && is_same;
      all.points += there.points;
    }
    PrintTo(terminal_->out, "compared {:.0f} points of {} metrics: {}\n", all.points,
            metrics_.size(), is_same ? "counts and sums are the same" : "they differ");
    return is_same;
  }

  bool Say(const std::string& metric,
           const absl::Status& status,
           const PointTotals& there,
           const PointTotals& here) {
    if (!status.ok()) {
      PrintTo(terminal_->err, "hourcell import: {}: not compared: {}\n", metric, MessageOf(status));
      return false;
    }
    const bool is_same = AreSame(there, here);
    PrintTo(terminal_->out, "{}: source {:.0f} points, sum {}; here {:.0f} points, sum {}: {}\n",
            metric, there.points, there.sum, here.points, here.sum, is_same ? "same" : "DIFFERENT");
    return is_same;
  }

  // Adjacent finished slices, joined up to kComparedPoints.
  std::vector<FinishedSlice> RangesOf(const std::string& metric) const {
    std::vector<FinishedSlice> slices = state_->SlicesOf(metric);
    std::ranges::sort(slices, {}, &FinishedSlice::time);
    std::vector<FinishedSlice> ranges;
    for (FinishedSlice& slice : slices) {
      const bool follows = !ranges.empty() && ranges.back().time.end_s == slice.time.start_s &&
                           (ranges.back().points == 0 || slice.points == 0 ||
                            ranges.back().points + slice.points <= kComparedPoints);
      if (!follows) {
        ranges.push_back(std::move(slice));
        continue;
      }
      ranges.back().time.end_s = slice.time.end_s;
      ranges.back().points += slice.points;
      ranges.back().sum += slice.sum;
    }
    return ranges;
  }

  template <typename Ask>
  static absl::Status AddTotals(const std::string& metric,
                                const FinishedSlice& range,
                                const Ask& ask,
                                PointTotals* totals) {
    for (const auto& [function, total] : {std::pair(Aggregator::kCount, &totals->points),
                                          std::pair(Aggregator::kSum, &totals->sum)}) {
      absl::StatusOr<std::vector<ResultSeries>> answer =
          ask(SpecOf(metric, range.time, TotalOf(function)));
      if (IsUnknownMetric(answer.status())) continue;
      HOURCELL_RETURN_IF_ERROR(answer.status());
      for (const ResultSeries& series : *answer) {
        for (const ResultPoint& point : series.points)
          *total += point.value.ToDouble();
      }
    }
    return absl::OkStatus();
  }

  static constexpr uint64_t kRefusalsNamed = 20;

  const OpenTsdbImportOptions& options_;
  const ImportTarget target_;
  Terminal* const terminal_;
  PointRate rate_;
  std::unique_ptr<ImportState> state_;
  std::vector<std::string> metrics_;
  uint64_t slices_before_ = 0;
  uint64_t points_before_ = 0;
  std::atomic<uint64_t> points_{0};
  std::atomic<uint64_t> slices_{0};
  std::atomic<size_t> running_{0};
  Mutex mutex_;
  std::deque<ImportUnit> units_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> failures_;  // under mutex_ while threads run
  uint64_t refused_ = 0;               // under mutex_ while threads run
};

}  // namespace

int RunOpenTsdbImport(const OpenTsdbImportOptions& options,
                      ImportTarget target,
                      Terminal& terminal) {
  HOURCELL_CHECK(!target.sinks.empty());
  return SourceImporter(options, std::move(target), &terminal).Run();
}

}  // namespace hourcell
