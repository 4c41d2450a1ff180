// QueryNode: a part of a query as a tree. A leaf is a sub query, whose series are groups; an inner
// node is a function of the sets of series of its inputs:
//
//   sumSeries(top(10,max):sum:cpu{host=*}, scale(sum:mem,8))
//
//   sumSeries
//   |-- leaf 0
//   `-- scale
//       `-- leaf 1
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <vector>

#include "engine/query/function_spec.h"

namespace hourcell {

struct QueryNode {
  // Of a leaf: into QuerySpec.queries.
  size_t sub_query = 0;
  // Of an inner node.
  FunctionSpec function = {};
  std::vector<QueryNode> inputs = {};

  bool is_leaf() const { return inputs.empty(); }
};

}  // namespace hourcell
