// QueryPlan: a query as trees (query_node.h), one for each of its results in turn. The functions of
// a sub query are nodes, too:
//
//   top(10,max):bottom(50,avg):sum:cpu{host=*}      sum:mem
//
//           top(10,max)                             sub query 1
//               |
//          bottom(50,avg)
//               |
//           sub query 0
//
// With QuerySpec.expressions, their trees are the plan, and each leaf has the functions of its sub
// query. A query without functions has leaves only. Pure; thread-safe.

#pragma once

#include <vector>

#include "engine/query/query_node.h"
#include "engine/query/query_spec.h"

namespace hourcell {

struct QueryPlan {
  std::vector<QueryNode> roots;  // leaves, left to right, in the order of QuerySpec.queries
};

// False: all nodes of the plan would be leaves.
bool HasFunctions(const QuerySpec& spec);

QueryPlan PlanOf(const QuerySpec& spec);

}  // namespace hourcell
