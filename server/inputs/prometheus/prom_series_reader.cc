#include "server/inputs/prometheus/prom_series_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "codec/rollups/rollup_config.h"
#include "engine/query/query_watch.h"
#include "engine/tsdb.h"

namespace hourcell {

absl::StatusOr<PromSelection> PromSeriesReader::SelectionOf(std::span<const PromMatcher> matchers,
                                                            const PromReadWork& work,
                                                            MemoryHold* memory) const {
  const QueryWatch watch(service_.clock, work.control, work.deadline_ms, /*timeout_ms=*/0);
  const auto before_regexp = [&]() -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(watch.Check());
    return memory->Take(kPromRegexpBytes);
  };
  return PromSelection::Create(matchers, names_, &labels_, before_regexp);
}

absl::StatusOr<PromReadPlan> PromSeriesReader::PlanOf(const PromSelection& selection,
                                                      const PromReadWork& work,
                                                      size_t metrics_max) const {
  const auto keys_of = [&](const std::string& label) { return KeysOf(label, work); };
  const auto is_stored = [&](const std::string& value) { return IsTagValue(value, work); };
  PromReadPlan plan;
  HOURCELL_ASSIGN_OR_RETURN(plan.filters, selection.FiltersOf(keys_of, is_stored));
  HOURCELL_ASSIGN_OR_RETURN(plan.metrics, MetricsOf(selection, work, metrics_max));
  return plan;
}

absl::Status PromSeriesReader::Read(const PromReadPlan& plan,
                                    const PromReadRange& range,
                                    const PromReadWork& work,
                                    QuerySink* sink) const {
  SubQuery each;
  each.aggregator = Aggregator::kNone;
  QuerySpec spec{.start_ms = std::max<int64_t>(range.start_ms, 0),
                 .end_ms = std::min(range.end_ms, kTimestampMsMax),
                 .queries = {std::move(each)},
                 .deadline_ms = work.deadline_ms,
                 .special_values = true,
                 .windows = range.windows,
                 .annotations = false};
  if (spec.end_ms < spec.start_ms) return absl::OkStatus();
  for (const std::string& metric : plan.metrics) {
    spec.queries.front().metric = metric;
    for (const PromSelection::Filters& filters : plan.filters) {
      spec.queries.front().filters = filters;
      const absl::Status status = service_.tsdb->queries().Query(spec, sink, work.control);
      // An unknown name selects nothing.
      if (!status.ok() && !absl::IsNotFound(status)) return status;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> PromSeriesReader::IsTagValue(const std::string& value,
                                                  const PromReadWork& work) const {
  bool found = false;
  const auto visit = [&](std::string_view name) {
    found = name == value;  // the first name with that prefix
    return false;
  };
  const NameQuery begins_so{
      .kind = UidKind::kTagv, .prefix = value, .deadline_ms = work.deadline_ms};
  HOURCELL_RETURN_IF_ERROR(service_.tsdb->names().VisitNames(begins_so, visit, work.control));
  return found;
}

absl::StatusOr<std::vector<std::string>> PromSeriesReader::StoredNames(
    UidKind kind, const std::string& shown, const PromReadWork& work) const {
  bool exact = false;
  const std::string_view prefix = labels_.PrefixOf(shown, &exact);
  std::vector<std::string> names;
  if (std::string by_rule = names_.Apply(shown); exact || by_rule != shown) {
    names.push_back(std::move(by_rule));
  }
  if (exact && names.front() != shown) names.push_back(shown);
  if (exact) return names;
  const auto visit = [&](std::string_view name) {
    const std::string as =
        kind == UidKind::kMetric ? labels_.Metric(name) : labels_.LabelName(name);
    const bool is_new = names.empty() || name != names.front();
    if (is_new && (name == shown || as == shown)) names.emplace_back(name);
    return true;
  };
  const NameQuery all{.kind = kind, .prefix = std::string(prefix), .deadline_ms = work.deadline_ms};
  HOURCELL_RETURN_IF_ERROR(service_.tsdb->names().VisitNames(all, visit, work.control));
  return names;
}

absl::StatusOr<std::vector<std::string>> PromSeriesReader::MetricsOf(const PromSelection& selection,
                                                                     const PromReadWork& work,
                                                                     size_t metrics_max) const {
  std::vector<std::string> metrics;
  if (!selection.metric().empty()) {
    HOURCELL_ASSIGN_OR_RETURN(metrics, StoredNames(UidKind::kMetric, selection.metric(), work));
    std::erase_if(metrics, [&](const std::string& name) { return !selection.TakesMetric(name); });
    return metrics;
  }
  const NameQuery all{.kind = UidKind::kMetric, .prefix = "", .deadline_ms = work.deadline_ms};
  const auto visit = [&](std::string_view name) {
    // The levels of rollups repeat the points of their metrics.
    if (SummarizedMetric(name).empty() && selection.TakesMetric(name)) metrics.emplace_back(name);
    return metrics.size() <= metrics_max;
  };
  HOURCELL_RETURN_IF_ERROR(service_.tsdb->names().VisitNames(all, visit, work.control));
  if (metrics.size() <= metrics_max) return metrics;
  return absl::ResourceExhaustedError(
      fmt::format("The matchers fit more than {} metrics; name one by __name__", metrics_max));
}

}  // namespace hourcell
