#include "engine/deletion/hidden_selection.h"

#include <algorithm>
#include <string_view>

#include "codec/base/status_macros.h"
#include "engine/query/query_plan.h"

namespace hourcell {

absl::Status HiddenSelection::Add(const QueryPlanner& planner,
                                  const QuerySpec& spec,
                                  MemoryHold* hold) {
  if (HasFunctions(spec)) {
    return absl::InvalidArgumentError("functions: not allowed in a deletion");
  }
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
    OfMetric& series = metrics_[plan.metric];
    for (const uint32_t position : plan.selected) {
      const std::string_view tags = plan.list->tag_bytes(position);
      // The record and the list of hidden series have the tags, too.
      HOURCELL_RETURN_IF_ERROR(hold->Take(sizeof(OfMetric::value_type) + 3 * tags.size()));
      series.emplace_back(plan.list->number(position), tags);
    }
  }
  return absl::OkStatus();
}

void HiddenSelection::Finish() {
  for (auto& [metric, series] : metrics_) {
    std::ranges::sort(series);
    series.erase(std::unique(series.begin(), series.end()), series.end());
  }
}

uint64_t HiddenSelection::series() const {
  uint64_t count = 0;
  for (const auto& [metric, series] : metrics_)
    count += series.size();
  return count;
}

}  // namespace hourcell
