#include "server/promql/series_index.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "server/promql/store_source.h"

namespace hourcell {
namespace {

using TagPairs = std::vector<std::pair<std::string_view, std::string_view>>;

TagPairs PairsOf(const FoundSeries& series) {
  TagPairs pairs;
  pairs.reserve(series.tags.size());
  for (const TagView& tag : series.tags)
    pairs.emplace_back(tag.key, tag.value);
  return pairs;
}

// Matches of the index that all series of the filters have. They may find more series.
std::vector<TagMatch> MatchesOf(const PromSelection::Filters& filters) {
  std::vector<TagMatch> matches;
  for (const TagFilterSpec& filter : filters) {
    const bool is_any = filter.type == FilterType::kWildcard && filter.filter == "*";
    const bool is_one = filter.type == FilterType::kLiteralOr &&
                        filter.filter.find('|') == std::string::npos &&
                        !filter.filter.starts_with('"');
    if (is_any || is_one) matches.push_back({.tagk = filter.tagk, .tagv = filter.filter});
  }
  return matches;
}

}  // namespace

absl::Status SeriesIndex::VisitSeries(std::span<const promql::LabelMatcher> matchers,
                                      VisitLabels visit) {
  const std::vector<PromMatcher> given = PromMatchersOf(matchers);
  HOURCELL_ASSIGN_OR_RETURN(const PromSelection selection,
                            reader_.SelectionOf(given, work_, &memory_));
  if (selection.TakesMetric("") && selection.TakesTags(SeriesTags())) {
    return absl::InvalidArgumentError("match[] must contain at least one non-empty matcher");
  }
  HOURCELL_ASSIGN_OR_RETURN(const PromReadPlan plan,
                            reader_.PlanOf(selection, work_, /*metrics_max=*/SIZE_MAX));
  size_t metric_bytes = plan.metrics.size() * sizeof(std::string);
  for (const std::string& metric : plan.metrics)
    metric_bytes += metric.size();
  HOURCELL_RETURN_IF_ERROR(memory_.Take(metric_bytes));
  for (const std::string& metric : plan.metrics) {
    const auto visit_series = [&](const FoundSeries& series) -> absl::StatusOr<bool> {
      const TagPairs tags = PairsOf(series);
      std::vector<PromLabel> labels = reader_.labels().Of(tags);
      // A metric named * is looked up as any.
      if (series.metric != metric || !selection.TakesTags(tags, labels)) return true;
      return visit(PromqlLabels(reader_.labels().Metric(metric), std::move(labels)));
    };
    for (const PromSelection::Filters& filters : plan.filters) {
      HOURCELL_RETURN_IF_ERROR(
          LookUp({.metric = metric, .tags = MatchesOf(filters)}, visit_series));
    }
  }
  return absl::OkStatus();
}

absl::Status SeriesIndex::VisitMetrics(VisitText visit) {
  return VisitNames(UidKind::kMetric,
                    [&](std::string_view name) { return visit(reader_.labels().Metric(name)); });
}

absl::Status SeriesIndex::VisitLabelNames(VisitText visit) {
  bool has_series = false;
  const auto visit_key = [&](std::string_view name) {
    has_series = true;
    return visit(reader_.labels().LabelName(name));
  };
  HOURCELL_RETURN_IF_ERROR(times_.has_value() ? VisitKeysWithPoints(visit_key)
                                              : VisitNames(UidKind::kTagk, visit_key));
  return has_series ? visit(std::string(promql::kMetricName)) : absl::OkStatus();
}

absl::Status SeriesIndex::VisitLabelValues(const std::string& name, VisitText visit) {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> keys, reader_.KeysOf(name, work_));
  const auto visit_series = [&](const FoundSeries& series) -> absl::StatusOr<bool> {
    const TagPairs tags = PairsOf(series);
    for (const PromLabel& label : reader_.labels().Of(tags)) {
      if (label.name == name) HOURCELL_RETURN_IF_ERROR(visit(label.value));
    }
    return true;
  };
  for (const std::string& key : keys)
    HOURCELL_RETURN_IF_ERROR(
        LookUp({.metric = "", .tags = {{.tagk = key, .tagv = "*"}}}, visit_series));
  return absl::OkStatus();
}

// Ends once all keys were found: mostly long before the last series.
absl::Status SeriesIndex::VisitKeysWithPoints(
    absl::FunctionRef<absl::Status(std::string_view)> visit) {
  constexpr size_t kKeyBytes = 64;  // of an element, without its text
  StringSet left;
  HOURCELL_RETURN_IF_ERROR(VisitNames(UidKind::kTagk, [&](std::string_view name) {
    left.emplace(name);
    return memory_.Take(name.size() + kKeyBytes);
  }));
  if (left.empty()) return absl::OkStatus();
  return LookUp({.metric = ""}, [&](const FoundSeries& series) -> absl::StatusOr<bool> {
    for (const TagView& tag : series.tags) {
      const auto found = left.find(tag.key);
      if (found == left.end()) continue;
      left.erase(found);
      HOURCELL_RETURN_IF_ERROR(visit(tag.key));
    }
    return !left.empty();
  });
}

absl::Status SeriesIndex::LookUp(
    const LookupQuery& query, absl::FunctionRef<absl::StatusOr<bool>(const FoundSeries&)> visit) {
  LookupQuery timed = query;
  timed.deadline_ms = work_.deadline_ms;
  timed.with_points = times_;
  absl::Status ended;
  const auto each = [&](const FoundSeries& series) {
    const absl::StatusOr<bool> goes_on = visit(series);
    ended = goes_on.status();
    return goes_on.ok() && *goes_on;
  };
  const absl::StatusOr<uint64_t> found =
      reader_.service().tsdb->queries().LookupSeries(timed, each, work_.control);
  HOURCELL_RETURN_IF_ERROR(ended);
  // An unknown name selects nothing.
  return found.ok() || absl::IsNotFound(found.status()) ? absl::OkStatus() : found.status();
}

absl::Status SeriesIndex::VisitNames(UidKind kind,
                                     absl::FunctionRef<absl::Status(std::string_view)> visit) {
  absl::Status ended;
  const auto each = [&](std::string_view name) {
    ended = visit(name);
    return ended.ok();
  };
  const NameQuery names{.kind = kind,
                        .prefix = "",
                        .deadline_ms = work_.deadline_ms,
                        .only_with_series = true,
                        .with_points = times_};
  HOURCELL_RETURN_IF_ERROR(reader_.service().tsdb->names().VisitNames(names, each, work_.control));
  return ended;
}

}  // namespace hourcell
