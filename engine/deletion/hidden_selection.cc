#include "engine/deletion/hidden_selection.h"

#include <algorithm>
#include <string_view>

#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "engine/query/query_plan.h"

namespace hourcell {

absl::Status HiddenSelection::Add(const QueryPlanner& planner,
                                  const QuerySpec& spec,
                                  MemoryHold* hold) {
  if (HasFunctions(spec)) {
    return absl::InvalidArgumentError("functions: not allowed in a deletion");
  }
  const int64_t start_ms = std::max<int64_t>(spec.start_ms, 0);
  const int64_t end_ms = std::min(spec.end_ms, kTimestampMsMax);
  if (start_ms > end_ms) return absl::OkStatus();
  for (const SubQuery& asked : spec.queries) {
    // The same series, without grouping.
    SubQuery query = asked;
    query.aggregator = Aggregator::kNone;
    query.downsample.reset();
    query.rate.reset();
    query.percentiles.clear();
    query.show_histogram_buckets = false;
    HOURCELL_ASSIGN_OR_RETURN(QueryPlanner::ResolvedQuery resolved, planner.Resolve(query));
    HOURCELL_ASSIGN_OR_RETURN(
        const SubQueryPlan plan,
        planner.Plan(query, std::move(resolved), spec.start_ms, spec.end_ms, {}));
    if (plan.selected.empty()) continue;
    OfMetric& of_metric =
        metrics_.try_emplace(plan.metric, OfMetric{.start_ms = start_ms, .end_ms = end_ms})
            .first->second;
    of_metric.start_ms = std::min(of_metric.start_ms, start_ms);
    of_metric.end_ms = std::max(of_metric.end_ms, end_ms);
    for (const uint32_t position : plan.selected) {
      const std::string_view tags = plan.list->tag_bytes(position);
      // The record and the list of hidden series have the tags, too.
      HOURCELL_RETURN_IF_ERROR(hold->Take(sizeof(of_metric.series[0]) + 3 * tags.size()));
      of_metric.series.emplace_back(plan.list->number(position), tags);
    }
  }
  return absl::OkStatus();
}

void HiddenSelection::Finish() {
  for (auto& [metric, of_metric] : metrics_) {
    auto& series = of_metric.series;
    std::ranges::sort(series);
    series.erase(std::unique(series.begin(), series.end()), series.end());
  }
}

uint64_t HiddenSelection::series() const {
  uint64_t count = 0;
  for (const auto& [metric, of_metric] : metrics_)
    count += of_metric.series.size();
  return count;
}

}  // namespace hourcell
