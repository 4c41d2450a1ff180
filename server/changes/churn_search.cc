#include "server/changes/churn_search.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include <absl/status/status.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "engine/tsdb.h"

namespace hourcell {
namespace {

// Whether `a` is listed before `b`.
bool IsListedBefore(const ChurnedSeries& a, const ChurnedSeries& b) {
  return std::tuple(b.changed_ms(), std::string_view(a.tsuid)) <
         std::tuple(a.changed_ms(), std::string_view(b.tsuid));
}

size_t BytesOf(const ChurnedSeries& series) {
  size_t bytes = sizeof(series) + series.tsuid.size();
  for (const auto& tag : series.tags)
    bytes += sizeof(tag) + tag.first.size() + tag.second.size();
  return bytes;
}

// Counts the series that started or ended, and keeps those that come first, in a heap: its top is
// listed last.
class ChurnSink : public QuerySink {
 public:
  // Both are borrowed.
  ChurnSink(const ChurnRequest& request, MemoryAccount* memory)
      : request_(request), hold_(memory) {}

  absl::Status OnSeries(const SeriesView& series) override {
    if (series.points.empty() || series.tsuids.empty()) return absl::OkStatus();
    ++report_.series;
    std::vector<StepValue> steps;
    steps.reserve(series.points.size());
    for (size_t i = 0; i < series.points.size(); ++i)
      steps.push_back({.ms = series.points.t[i], .value = series.points.ToDouble(i)});
    ChurnedSeries churned;
    churned.first_ms = steps.front().ms;
    churned.last_ms = steps.back().ms;
    churned.type = ScoreChange(std::move(steps), request_.times).type;
    if (churned.type == ChangeType::kMoved) return absl::OkStatus();
    ++(churned.type == ChangeType::kStarted ? report_.started : report_.ended);
    churned.tsuid = ToUpperHex(series.tsuids.front());
    churned.tags.assign(series.tags.begin(), series.tags.end());
    return Keep(std::move(churned));
  }

  ChurnReport Take() {
    std::ranges::sort(report_.list, &IsListedBefore);
    return std::move(report_);
  }

 private:
  absl::Status Keep(ChurnedSeries series) {
    std::vector<ChurnedSeries>& list = report_.list;
    if (list.size() == request_.limit) {
      if (!IsListedBefore(series, list.front())) return absl::OkStatus();
      std::ranges::pop_heap(list, &IsListedBefore);
      hold_.GiveBack(BytesOf(list.back()));
      list.pop_back();
    }
    HOURCELL_RETURN_IF_ERROR(hold_.Take(BytesOf(series)));
    list.push_back(std::move(series));
    std::ranges::push_heap(list, &IsListedBefore);
    return absl::OkStatus();
  }

  const ChurnRequest& request_;
  MemoryHold hold_;
  ChurnReport report_;
};

}  // namespace

absl::StatusOr<ChurnReport> FindChurn(const ChurnRequest& request,
                                      const QueryService& service,
                                      int64_t deadline_ms,
                                      QueryControl* control,
                                      MemoryAccount* memory) {
  SubQuery series;
  series.aggregator = Aggregator::kNone;
  series.metric = request.metric;
  series.downsample =
      DownsampleSpec{.interval_ms = request.times.step_ms, .function = Aggregator::kCount};
  QuerySpec spec;
  spec.start_ms = std::max<int64_t>(request.times.before_ms(), 0);
  spec.end_ms = request.times.end_ms - 1;
  spec.deadline_ms = deadline_ms;
  spec.annotations = false;
  spec.queries.push_back(std::move(series));
  ChurnSink sink(request, memory);
  HOURCELL_RETURN_IF_ERROR(service.tsdb->queries().Query(spec, &sink, control));
  return sink.Take();
}

}  // namespace hourcell
