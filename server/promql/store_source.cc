#include "server/promql/store_source.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "server/promql/stored_histograms.h"

// Why most series need not be kept: a series mostly has a label for each tag, with the tag's value.
// Another series with these labels has other keys that become the same labels, or another metric
// that becomes the same name. So it is alone if all keys of the store become different labels, and
// all metrics of the request different names. Exceptions are:
//
//   numbers      of le and quantile: a value that an old store has changed becomes one with '+'
//   default tag  left out of the labels if le and quantile are the only other tags. So a series
//                with these labels alone may have it or not

namespace hourcell {
namespace {

constexpr size_t kPointBytes = sizeof(int64_t) + sizeof(double);

PromMatcher::Type TypeOf(promql::MatchOperator op) {
  switch (op) {
    case promql::MatchOperator::kEqual:
      return PromMatcher::Type::kEqual;
    case promql::MatchOperator::kNotEqual:
      return PromMatcher::Type::kNotEqual;
    case promql::MatchOperator::kRegexp:
      return PromMatcher::Type::kRegexp;
    case promql::MatchOperator::kNotRegexp:
      break;
  }
  return PromMatcher::Type::kNotRegexp;
}

// Merges by time into `*first`; at equal times its points win.
void MergePoints(promql::PointsView second, promql::SeriesPoints* first) {
  promql::SeriesPoints merged;
  merged.times.reserve(first->times.size() + second.size());
  merged.values.reserve(first->times.size() + second.size());
  size_t a = 0;
  size_t b = 0;
  while (a < first->times.size() || b < second.size()) {
    const bool has_first = a < first->times.size();
    const bool takes_first =
        has_first && (b == second.size() || first->times[a] <= second.times[b]);
    if (takes_first) {
      if (b < second.size() && second.times[b] == first->times[a]) ++b;
      merged.times.push_back(first->times[a]);
      merged.values.push_back(first->values[a++]);
    } else {
      merged.times.push_back(second.times[b]);
      merged.values.push_back(second.values[b++]);
    }
  }
  first->times = std::move(merged.times);
  first->values = std::move(merged.values);
}

WindowSpec::Needs NeedsOf(promql::WindowNeeds needs) {
  switch (needs) {
    case promql::WindowNeeds::kMin:
      return WindowSpec::Needs::kMin;
    case promql::WindowNeeds::kMax:
      return WindowSpec::Needs::kMax;
    case promql::WindowNeeds::kEnds:
      return WindowSpec::Needs::kEnds;
    case promql::WindowNeeds::kSum:
    case promql::WindowNeeds::kPoints:
      break;
  }
  return WindowSpec::Needs::kSum;
}

WindowSpec WindowsOf(const promql::SeriesRequest& request) {
  const auto before_last = static_cast<int64_t>(request.windows - 1);
  return {.needs = NeedsOf(request.needs),
          .first_end_ms = request.end_ms - before_last * request.step_ms,
          .step_ms = request.step_ms,
          .count = request.windows,
          .range_ms = request.range_ms};
}

}  // namespace

using SeriesVisitor = absl::FunctionRef<absl::Status(const promql::Labels&, promql::PointsView)>;

// The series of a request that a sink takes.
enum class StoreSource::Taken : uint8_t {
  kAll,
  kThatMeetNone,  // only series that meet no other; notes whether there are others
  kThatMayMeet,   // the others
};

class StoreSource::Sink final : public QuerySink {
 public:
  Sink(const PromLabels* labels,
       const PromSelection* selection,
       bool series_may_meet,
       Taken taken,
       StoredHistograms* histograms,
       MemoryAccount* memory,
       SeriesVisitor visit)
      : labels_(*labels),
        selection_(*selection),
        series_may_meet_(series_may_meet),
        taken_(taken),
        histograms_(*histograms),
        buffer_(memory),
        kept_bytes_(memory),
        visit_(visit) {}

  bool left_some() const { return left_some_; }

  absl::Status OnSeries(const SeriesView& series) override {
    if (series.points.empty()) return absl::OkStatus();
    const bool may_meet = MayMeetAnother(series.tags);
    if (taken_ == (may_meet ? Taken::kThatMeetNone : Taken::kThatMayMeet)) {
      left_some_ = true;
      return absl::OkStatus();
    }
    std::vector<PromLabel> labels = labels_.Of(series.tags);
    if (!selection_.TakesTags(series.tags, labels)) return absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(ReadValues(series.points));
    const promql::PointsView points{
        .times = series.points.t, .values = values_, .weights = series.points.weights};
    promql::Labels key = PromqlLabels(labels_.Metric(series.metric), std::move(labels));
    return may_meet ? Keep(series, std::move(key), points) : Visit(key, points);
  }

  // Visits the series that were kept, and those with histograms alone.
  absl::Status Finish() {
    for (const auto& [labels, one] : kept_)
      HOURCELL_RETURN_IF_ERROR(Visit(labels, one.points.view()));
    return histograms_.VisitRest(visit_);
  }

 private:
  // The metric and tags, which decide the precedence of points.
  using Rank = std::pair<std::string, std::vector<std::pair<std::string, std::string>>>;
  struct One {
    Rank rank;
    promql::SeriesPoints points;  // its labels are the key
  };

  absl::Status Visit(const promql::Labels& labels, promql::PointsView numbers) {
    return visit_(labels, histograms_.empty() ? numbers : histograms_.TakeWith(labels, numbers));
  }

  bool MayMeetAnother(SeriesTags tags) const {
    if (series_may_meet_) return true;
    bool has_only_numbers = true;
    for (const auto& [key, value] : tags) {
      if (IsNumberLabel(key)) {
        if (value.find_first_of("+_") != value.npos) return true;
      } else if (!labels_.IsInvented(tags, key, value)) {
        has_only_numbers = false;
      }
    }
    return has_only_numbers;
  }

  absl::Status ReadValues(const SpanView& points) {
    const size_t bytes = points.size() * sizeof(double);
    if (bytes > buffer_.bytes()) HOURCELL_RETURN_IF_ERROR(buffer_.Set(bytes));
    values_.resize(points.size());
    // Most series have values of one kind.
    const auto [least, most] = std::ranges::minmax(points.is_float);
    if (least != most) {
      for (size_t i = 0; i < points.size(); ++i)
        values_[i] = points.ToDouble(i);
    } else if (most != 0) {
      std::ranges::transform(points.v, values_.begin(),
                             [](uint64_t bits) { return std::bit_cast<double>(bits); });
    } else {
      std::ranges::transform(points.v, values_.begin(), [](uint64_t bits) {
        return static_cast<double>(static_cast<int64_t>(bits));
      });
    }
    return absl::OkStatus();
  }

  absl::Status Keep(const SeriesView& series, promql::Labels key, promql::PointsView points) {
    HOURCELL_DCHECK(points.weights.empty());
    // The rank is as large as the labels. Merging copies the points of both.
    HOURCELL_RETURN_IF_ERROR(
        kept_bytes_.Take(2 * key.MemoryBytes() + 2 * points.size() * kPointBytes));
    Rank rank{std::string(series.metric), {series.tags.begin(), series.tags.end()}};
    const auto [found, is_new] = kept_.try_emplace(std::move(key));
    One& one = found->second;
    if (!is_new && one.rank < rank) {
      MergePoints(points, &one.points);
      return absl::OkStatus();
    }
    promql::SeriesPoints given;
    given.times.assign(points.times.begin(), points.times.end());
    given.values.assign(points.values.begin(), points.values.end());
    if (!is_new) MergePoints(one.points.view(), &given);
    one = {.rank = std::move(rank), .points = std::move(given)};
    return absl::OkStatus();
  }

  const PromLabels& labels_;
  const PromSelection& selection_;
  const bool series_may_meet_;
  const Taken taken_;
  bool left_some_ = false;
  StoredHistograms& histograms_;
  MemoryHold buffer_;      // of `values_`
  MemoryHold kept_bytes_;  // of `kept_`
  SeriesVisitor visit_;
  std::vector<double> values_;
  std::map<promql::Labels, One> kept_;
};

absl::Status StoreSource::Read(const promql::SeriesRequest& request, SeriesVisitor visit) {
  MemoryHold regexps(memory_.account());
  const std::vector<PromMatcher> matchers = PromMatchersOf(request.matchers);
  HOURCELL_ASSIGN_OR_RETURN(const PromSelection selection,
                            reader_.SelectionOf(matchers, work_, &regexps));
  HOURCELL_ASSIGN_OR_RETURN(const PromReadPlan plan, reader_.PlanOf(selection, work_));
  HOURCELL_ASSIGN_OR_RETURN(const bool may_meet, SeriesMayMeet(plan));
  PromReadRange range{.start_ms = request.start_ms, .end_ms = request.end_ms};
  StoredHistograms histograms(&reader_, work_, memory_.account());
  HOURCELL_RETURN_IF_ERROR(histograms.Read(selection, plan, range));
  const auto read = [&](Taken taken, bool* left_some) -> absl::Status {
    Sink sink(&reader_.labels(), &selection, may_meet, taken, &histograms, memory_.account(),
              visit);
    HOURCELL_RETURN_IF_ERROR(reader_.Read(plan, range, work_, &sink));
    *left_some = sink.left_some();
    return sink.Finish();
  };
  // Series with equal labels are merged point by point, as are points and histograms of a series.
  bool left_some = false;
  if (may_meet || !histograms.empty() || request.needs == promql::WindowNeeds::kPoints) {
    return read(Taken::kAll, &left_some);
  }
  range.windows = WindowsOf(request);
  HOURCELL_RETURN_IF_ERROR(read(Taken::kThatMeetNone, &left_some));
  range.windows.reset();
  return left_some ? read(Taken::kThatMayMeet, &left_some) : absl::OkStatus();
}

absl::StatusOr<bool> StoreSource::SeriesMayMeet(const PromReadPlan& plan) {
  // A series may pass the filters of several lists.
  if (plan.filters.size() > 1) return true;
  StringSet shown;
  for (const std::string& metric : plan.metrics) {
    if (!shown.insert(reader_.labels().Metric(metric)).second) return true;
  }
  return KeysMayMeet();
}

absl::StatusOr<bool> StoreSource::KeysMayMeet() {
  if (keys_may_meet_.has_value()) return *keys_may_meet_;
  StringSet shown;
  bool meet = false;
  const auto visit = [&](std::string_view key) {
    meet = !shown.insert(reader_.labels().LabelName(key)).second;
    return !meet;
  };
  const NameQuery all{.kind = UidKind::kTagk, .prefix = "", .deadline_ms = work_.deadline_ms};
  HOURCELL_RETURN_IF_ERROR(reader_.service().tsdb->names().VisitNames(all, visit, work_.control));
  keys_may_meet_ = meet;
  return meet;
}

promql::Labels PromqlLabels(std::string metric, std::vector<PromLabel> labels) {
  std::vector<promql::Labels::Pair> pairs;
  pairs.reserve(labels.size() + 1);
  pairs.emplace_back(promql::kMetricName, std::move(metric));
  for (PromLabel& label : labels)
    pairs.emplace_back(std::move(label.name), std::move(label.value));
  return promql::Labels(std::move(pairs));
}

std::vector<PromMatcher> PromMatchersOf(std::span<const promql::LabelMatcher> matchers) {
  std::vector<PromMatcher> given;
  given.reserve(matchers.size());
  for (const promql::LabelMatcher& matcher : matchers)
    given.push_back({.type = TypeOf(matcher.op), .name = matcher.name, .value = matcher.value});
  return given;
}

}  // namespace hourcell
