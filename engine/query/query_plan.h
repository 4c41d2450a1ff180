// QueryPlan: a query as trees, one for each of its results in turn. A leaf is a sub query, whose
// series are groups; an inner node is a function of the sets of series of its inputs:
//
//   top(10,max):bottom(50,avg):sum:cpu{host=*}      sum:mem
//
//           top(10,max)                             sub query 1
//               |
//          bottom(50,avg)
//               |
//           sub query 0
//
// A query without functions has leaves only. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <vector>

#include "engine/query/function_spec.h"
#include "engine/query/query_spec.h"

namespace hourcell {

struct QueryNode {
  // Of a leaf: into QuerySpec.queries. Each sub query is one leaf.
  size_t sub_query = 0;
  // Of an inner node.
  FunctionSpec function = {};
  std::vector<QueryNode> inputs = {};

  bool is_leaf() const { return inputs.empty(); }
};

struct QueryPlan {
  std::vector<QueryNode> roots;  // leaves, left to right, in the order of QuerySpec.queries
};

// False: all nodes of the plan would be leaves.
bool HasFunctions(const QuerySpec& spec);

QueryPlan PlanOf(const QuerySpec& spec);

}  // namespace hourcell
