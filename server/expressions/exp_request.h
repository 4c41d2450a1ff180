// The JSON body of POST /api/query/exp:
//
//   {"time": {"start", "end", "timezone", "aggregator", "rate": bool,
//             "downsampler": {"interval", "aggregator", "fillPolicy": {"policy", "value"}}},
//    "filters": [{"id", "tags": [{"type", "tagk", "filter", "groupBy"}], "explicitTags": bool}],
//    "metrics": [{"id", "metric", "filter", "aggregator", "fillPolicy": {...}, "timeOffset"}],
//    "expressions": [{"id", "expr", "fillPolicy": {...},
//                     "join": {"operator", "useQueryTags": bool, "includeAggTags": bool}}],
//    "outputs": [{"id", "alias"}]}
//
// Unknown fields are ignored. Ids are letters and digits, not a single digit, and differ in case.
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <simdjson.h>

#include "engine/expressions/joined_expression.h"
#include "engine/query/query_spec.h"

namespace hourcell {

inline constexpr size_t kExpressionsMax = 256;
inline constexpr size_t kExpressionOutputsMax = 1000;

// The value of missing points, and its form in an answer.
struct ExpressionFill {
  double value = 0;
  bool nan_as_null = false;
};

// `{policy, value}`: none, nan and null are NaN, zero is 0, scalar is the value. Without a policy
// the value alone counts. kInvalidArgument: an unknown policy, or a value that contradicts it.
absl::StatusOr<ExpressionFill> ParseExpressionFill(simdjson::dom::element value);

// kInvalidArgument: empty, a single digit, another character than letters and digits, or a reserved
// word.
absl::Status CheckExpressionId(std::string_view id);

struct ExpRequest {
  // A query of the storage, for the metrics of one offset.
  struct Fetch {
    int64_t offset_ms = 0;  // is added to the times of its points
    QuerySpec spec;
  };
  struct Metric {
    std::string id;
    size_t fetch = 0;      // into `fetches`
    size_t sub_query = 0;  // of that query
    ExpressionFill fill;
    std::vector<std::string> query_tags;  // keys of its filters, ascending
  };
  struct Expression {
    std::string id;
    JoinedExpression joined;
    std::optional<ExpressionFill> fill;  // where it is a variable
    std::vector<size_t> inputs = {};     // of each variable: a metric, or metrics.size() + i
  };
  struct Output {
    std::string alias;  // empty: none
    size_t set = 0;     // a metric, or metrics.size() + i
  };

  std::vector<Fetch> fetches;
  std::vector<Metric> metrics;
  std::vector<Expression> expressions;
  std::vector<size_t> order;  // of `expressions`: inputs come before the expressions that use them
  std::vector<Output> outputs;  // those of the body, else all expressions, else all metrics
  std::string body;             // without blanks
};

// kInvalidArgument: a field of another type, a missing field, a wrong id, an unknown name, a cycle,
// a time or a filter as those of /api/query, a formula, too many of one kind.
absl::StatusOr<ExpRequest> ParseExpJson(const std::string& body,
                                        int64_t now_ms,
                                        std::string_view default_timezone = {});

}  // namespace hourcell
