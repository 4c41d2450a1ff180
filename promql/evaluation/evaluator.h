// Evaluates an expression of PromQL on all steps at once. Decides nothing about HTTP or storage:
// series come through SeriesSource.

#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include "engine/query/memory_account.h"
#include "promql/columns.h"
#include "promql/series_source.h"
#include "promql/text/expression.h"

namespace hourcell::promql {

struct EvaluationOptions {
  Steps steps;              // one step: an instant query
  bool is_instant = false;  // order of sort() is kept; a range vector and a string are results
  int64_t lookback_ms = 300'000;
  int64_t default_subquery_step_ms = 60'000;
  // Borrowed; may be null. After the call it holds the memory of the result.
  MemoryHold* memory = nullptr;
  // Called after every few thousand values; an error ends the evaluation with that error. May be
  // null.
  absl::FunctionRef<absl::Status()>* check = nullptr;
};

// The result by the type of the expression.
struct ScalarResult {
  std::vector<double> values;  // one a step
};
struct VectorResult {
  Vector series;  // of a range query: by labels; of an instant query: as the expression orders them
};
struct MatrixResult {
  std::vector<SeriesPoints> series;  // only of instant queries
};
struct StringResult {
  std::string value;
};
struct Evaluation {
  std::variant<ScalarResult, VectorResult, MatrixResult, StringResult> value;
  std::vector<std::string> warnings;
};

// kInvalidArgument: Prometheus refuses the query during its evaluation (many-to-many matching,
// duplicate labels, ...), with its text; kResourceExhausted: the memory; errors of the source and
// of `check`.
absl::StatusOr<Evaluation> Evaluate(const Expression& expression,
                                    const EvaluationOptions& options,
                                    SeriesSource* source);

}  // namespace hourcell::promql
