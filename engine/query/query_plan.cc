#include "engine/query/query_plan.h"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>

namespace hourcell {
namespace {

// The leaf of a sub query below its functions. The last function is the nearest to the leaf.
QueryNode NodeOf(const QuerySpec& spec, size_t sub_query) {
  QueryNode node{.sub_query = sub_query};
  for (const FunctionSpec& function : std::views::reverse(spec.queries[sub_query].functions)) {
    QueryNode outer{.function = function};
    outer.inputs.push_back(std::move(node));
    node = std::move(outer);
  }
  return node;
}

QueryNode NodeOf(const QuerySpec& spec, const QueryNode& of) {
  if (of.is_leaf()) return NodeOf(spec, of.sub_query);
  QueryNode node{.function = of.function};
  for (const QueryNode& input : of.inputs)
    node.inputs.push_back(NodeOf(spec, input));
  return node;
}

}  // namespace

bool HasFunctions(const QuerySpec& spec) {
  return !spec.expressions.empty() || std::ranges::any_of(spec.queries, [](const SubQuery& query) {
    return !query.functions.empty();
  });
}

QueryPlan PlanOf(const QuerySpec& spec) {
  QueryPlan plan;
  for (const QueryNode& expression : spec.expressions)
    plan.roots.push_back(NodeOf(spec, expression));
  if (!plan.roots.empty()) return plan;
  for (size_t i = 0; i < spec.queries.size(); ++i)
    plan.roots.push_back(NodeOf(spec, i));
  return plan;
}

}  // namespace hourcell
