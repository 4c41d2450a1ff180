// InputJoin: the series of a virtual metric, from the results of its inputs.
//
//   a, by host     web01: 1 2 _      web02: 3 4 5      (_: no point)
//   b, by host     web01: 7 8 9
//   a + b                    web01: 8 10 _
//   a + b, missing = 0       web01: 8 10 9     web02: 3 4 5
//
// Results of the inputs are joined by the values of the keys that the inputs group by, or by all
// tags with the aggregator none. A joined series has the tags that these results have in common.
// Pure; thread-safe.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/expressions/formula.h"
#include "engine/expressions/joined_expression.h"
#include "engine/query/columns.h"
#include "engine/query/memory_account.h"
#include "engine/query/metric_expression.h"
#include "engine/query/query_watch.h"

namespace hourcell {

// A series of a virtual metric.
struct VirtualSeries {
  std::vector<std::pair<std::string, std::string>> tags;  // ascending
  Span points;                                            // doubles, finite
};

// Joins the results of the inputs, `results[i]` of expression.inputs[i], and calculates the
// formula. `*hold` takes the memory of the series. kInvalidArgument: an input has two results of
// equal keys; kResourceExhausted; as `watch`. REQUIRES: formula is CompileFormula's.
absl::StatusOr<std::vector<VirtualSeries>> JoinInputs(const MetricExpression& expression,
                                                      const Formula& formula,
                                                      const std::vector<ExpressionSet>& results,
                                                      const QueryWatch& watch,
                                                      MemoryHold* hold);

}  // namespace hourcell
