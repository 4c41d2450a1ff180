#include "server/changes/change_search.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/tsdb.h"

// Why the averages of steps are compared, not points: a step of whole hours is answered by the
// summaries of rows, and 60 averages of a series are enough for its line, too. A counter would want
// the last value of each step. Averages serve it as well, because the distance of two averages is
// the rise of a step, and so each series is read once.

namespace hourcell {
namespace {

// As many as the engine reads at once, and few enough that a late end loses little.
constexpr size_t kMetricsAtOnce = 16;
// Less is noise.
constexpr double kMovedScore = 1;

struct ComparedMetric {
  std::string metric;
  std::vector<std::string> tsuids;  // upper-case hex
};

// Scores the series of a batch of metrics: a sub query each.
class BatchScores : public QuerySink {
 public:
  // Both are borrowed.
  BatchScores(const ChangeTimes& times, std::span<const ComparedMetric> metrics)
      : times_(times), metrics_(metrics), best_(metrics.size()) {}

  absl::Status OnSeries(const SeriesView& series) override {
    HOURCELL_DCHECK(series.query_index < best_.size());
    if (series.points.empty()) return absl::OkStatus();
    std::vector<StepValue> values;
    values.reserve(series.points.size());
    for (size_t i = 0; i < series.points.size(); ++i)
      values.push_back({.ms = series.points.t[i], .value = series.points.ToDouble(i)});
    ChangeScore score = ScoreChange(std::move(values), times_);
    ChangedMetric& best = best_[series.query_index];
    if (score.score >= kMovedScore) ++best.moved;
    if (score.score > best.score.score) {
      best.score = std::move(score);
      best.tags.assign(series.tags.begin(), series.tags.end());
      best.tsuid = series.tsuids.empty() ? std::string() : ToUpperHex(series.tsuids.front());
    }
    return absl::OkStatus();
  }

  // Moves the metrics that changed to the end of `*changes`.
  void MoveTo(std::vector<ChangedMetric>* changes) {
    for (size_t i = 0; i < best_.size(); ++i) {
      if (best_[i].moved == 0) continue;
      best_[i].metric = metrics_[i].metric;
      best_[i].series = metrics_[i].tsuids.size();
      changes->push_back(std::move(best_[i]));
    }
  }

 private:
  const ChangeTimes& times_;
  const std::span<const ComparedMetric> metrics_;
  std::vector<ChangedMetric> best_;  // of each metric
};

class ChangeSearch {
 public:
  // All are borrowed.
  ChangeSearch(const ChangeRequest& request,
               const QueryService& service,
               int64_t deadline_ms,
               QueryControl* control,
               MemoryAccount* memory)
      : request_(request),
        queries_(service.tsdb->queries()),
        control_(control),
        hold_(memory),
        deadline_ms_(service.clock->MonotonicMs() + static_cast<int64_t>(request.seconds) * 1000) {
    if (deadline_ms > 0) deadline_ms_ = std::min(deadline_ms_, deadline_ms);
  }

  absl::StatusOr<ChangeReport> Run() {
    HOURCELL_RETURN_IF_ERROR(ListSeries());
    std::span<const ComparedMetric> rest(metrics_);
    while (!rest.empty()) {
      const auto batch = rest.first(std::min(rest.size(), kMetricsAtOnce));
      const absl::Status compared = Compare(batch);
      if (absl::IsDeadlineExceeded(compared) && report_.compared > 0) {
        report_.timed_out = true;
        break;
      }
      HOURCELL_RETURN_IF_ERROR(compared);
      rest = rest.subspan(batch.size());
    }
    return std::move(report_);
  }

 private:
  absl::Status ListSeries() {
    absl::Status taken;
    uint64_t listed = 0;
    std::string metric;
    uint64_t of_metric = 0;
    const auto add = [&](const FoundSeries& series) {
      if (!series.metric.starts_with(request_.metric)) return true;
      ++report_.series;
      if (report_.series == 1 || series.metric != metric) {
        metric = series.metric;
        of_metric = 0;
      }
      if (listed == request_.series || of_metric == kComparedOfMetricMax) return true;
      taken = hold_.Take(sizeof(std::string) + 2 * series.tsuid.size() +
                         (of_metric == 0 ? sizeof(ComparedMetric) + metric.size() : 0));
      if (!taken.ok()) return false;
      if (of_metric++ == 0) metrics_.push_back({.metric = metric, .tsuids = {}});
      metrics_.back().tsuids.push_back(ToUpperHex(series.tsuid));
      ++listed;
      return true;
    };
    const LookupQuery lookup{.metric = {}, .tags = request_.tags, .deadline_ms = deadline_ms_};
    HOURCELL_RETURN_IF_ERROR(queries_.LookupSeries(lookup, add, control_).status());
    return taken;
  }

  absl::Status Compare(std::span<const ComparedMetric> batch) {
    QuerySpec spec;
    spec.start_ms = std::max<int64_t>(request_.times.before_ms(), 0);
    spec.end_ms = request_.times.end_ms - 1;
    spec.deadline_ms = deadline_ms_;
    spec.annotations = false;
    for (const ComparedMetric& metric : batch) {
      SubQuery query;
      query.aggregator = Aggregator::kNone;
      query.metric = metric.metric;  // selects nothing here, but its own limits may be set
      query.tsuids = metric.tsuids;
      query.downsample = DownsampleSpec{.interval_ms = request_.times.step_ms};
      spec.queries.push_back(std::move(query));
    }
    BatchScores scores(request_.times, batch);
    HOURCELL_RETURN_IF_ERROR(queries_.Query(spec, &scores, control_));
    report_.metrics += batch.size();
    for (const ComparedMetric& metric : batch)
      report_.compared += metric.tsuids.size();
    Keep(&scores);
    return absl::OkStatus();
  }

  // Keeps the highest scores of all batches until now.
  void Keep(BatchScores* scores) {
    std::vector<ChangedMetric>& changes = report_.changes;
    scores->MoveTo(&changes);
    std::ranges::stable_sort(changes, std::ranges::greater(),
                             [](const ChangedMetric& each) { return each.score.score; });
    if (changes.size() > request_.limit) changes.resize(request_.limit);
  }

  const ChangeRequest& request_;
  Queries& queries_;
  QueryControl* const control_;
  MemoryHold hold_;
  int64_t deadline_ms_;
  std::vector<ComparedMetric> metrics_;
  ChangeReport report_;
};

}  // namespace

absl::StatusOr<ChangeReport> FindChanges(const ChangeRequest& request,
                                         const QueryService& service,
                                         int64_t deadline_ms,
                                         QueryControl* control,
                                         MemoryAccount* memory) {
  return ChangeSearch(request, service, deadline_ms, control, memory).Run();
}

}  // namespace hourcell
