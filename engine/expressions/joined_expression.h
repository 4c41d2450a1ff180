// JoinedExpression: an expression of /api/query/exp over sets of series. The series of its
// variables are joined by their tags, their points by time, and the formula is calculated for each
// row:
//
//   variable a     web01: 1 2 _      web02: 3 4 5       (_: missing)
//   variable b     web01: 7 8 9
//   a + b, union   web01: 8 10 9     web02: 3 4 5
//
// All results have the times of all joined series. A missing point, and one that is NaN, has the
// fill value of its variable. A missing series counts as 0 whatever the fill value.
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/expressions/formula.h"
#include "engine/query/columns.h"
#include "engine/query/functions/series_join.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_result.h"

namespace hourcell {

struct ExpressionSeries {
  std::vector<std::pair<std::string, std::string>> tags;
  std::vector<std::string> aggregate_tags;
  std::vector<std::string> metrics;  // ascending; of all series that made it
  Span points;
};

// The series of a metric or an expression.
struct ExpressionSet {
  std::vector<ExpressionSeries> series;
  MissingValue missing = {.value = 0, .replaces_nan = true};  // where it is a variable
  std::vector<std::string> query_tags = {};                   // keys of the filters, ascending
};

// Adds a copy of the series to `*set`, if it has points. Its memory counts in `*hold`.
// kResourceExhausted.
absl::Status AddSeries(const SeriesView& series, MemoryHold* hold, ExpressionSet* set);

// Gives all series of `*set` the same times: missing points get its fill value. Memory
// as AddSeries.
absl::Status AlignPoints(MemoryHold* hold, ExpressionSet* set);

struct JoinedExpression {
  std::string text;  // of the formula, for errors
  Formula formula;
  JoinSet join = JoinSet::kUnion;
  bool by_query_tags = false;  // only tags whose keys the filters of their metric have
  bool by_aggregated = true;   // the keys of aggregated tags are compared, too
};

// The result of the expression over `inputs`, the sets of its variables in turn. Its memory counts
// in `*hold`. `check` ends it with an error; it is called for each result.
// kInvalidArgument: "No intersections found", two series of an input have the same tags;
// kResourceExhausted.
absl::StatusOr<ExpressionSet> Evaluate(const JoinedExpression& expression,
                                       const std::vector<const ExpressionSet*>& inputs,
                                       const std::function<absl::Status()>& check,
                                       MemoryHold* hold);

}  // namespace hourcell
