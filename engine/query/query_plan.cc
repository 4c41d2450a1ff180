#include "engine/query/query_plan.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace hourcell {

bool HasFunctions(const QuerySpec& spec) {
  return std::ranges::any_of(spec.queries,
                             [](const SubQuery& query) { return !query.functions.empty(); });
}

QueryPlan PlanOf(const QuerySpec& spec) {
  QueryPlan plan;
  for (size_t i = 0; i < spec.queries.size(); ++i) {
    QueryNode node{.sub_query = i};
    // The last function is the nearest to the leaf.
    for (const FunctionSpec& function : std::views::reverse(spec.queries[i].functions)) {
      QueryNode outer{.function = function};
      outer.inputs.push_back(std::move(node));
      node = std::move(outer);
    }
    plan.roots.push_back(std::move(node));
  }
  return plan;
}

}  // namespace hourcell
