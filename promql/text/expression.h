// Expression: a parsed query of PromQL, as a tree with the type and the position of each node.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "promql/label_matcher.h"
#include "promql/text/function.h"

namespace hourcell::promql {

// Limits of a query's text.
inline constexpr size_t kQueryBytes = size_t{64} << 10;
inline constexpr size_t kQueryDepth = 200;

// Bytes [begin, end) of the query's text.
struct TextRange {
  size_t begin = 0;
  size_t end = 0;
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

std::string_view MatchOperatorText(MatchOperator op);  // "=", "!=", "=~", "!~"

// The time of a selector: `offset 5m`, `@ 1609746000`, `@ start()`, `@ end()`.
struct TimeShift {
  enum class At : uint8_t { kNone, kTime, kStart, kEnd };
  int64_t offset_ms = 0;
  At at = At::kNone;
  int64_t at_ms = 0;  // of kTime
  friend bool operator==(const TimeShift&, const TimeShift&) = default;
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct NumberLiteral {
  double value = 0;
};
struct StringLiteral {
  std::string value = {};
};
// m{a="b"}. A metric before the braces is a matcher of __name__, the last one.
struct VectorSelector {
  std::string metric = {};  // as written before the braces; empty: none
  std::vector<LabelMatcher> matchers = {};
  TimeShift shift;
};
// A selector with a range: m[5m].
struct MatrixSelector {
  ExpressionPtr selector = {};  // a VectorSelector, which has the shift
  int64_t range_ms = 0;
};
// expression[5m:1m]; step_ms 0: the default step.
struct Subquery {
  ExpressionPtr inner = {};
  int64_t range_ms = 0;
  int64_t step_ms = 0;
  TimeShift shift;
};
struct Call {
  Function function = Function::kAbs;
  std::vector<ExpressionPtr> arguments = {};
};
enum class AggregateOperator : uint8_t {
  kSum,
  kAvg,
  kCount,
  kMin,
  kMax,
  kGroup,
  kStddev,
  kStdvar,
  kTopk,
  kBottomk,
  kCountValues,
  kQuantile
};
std::string_view AggregateOperatorText(AggregateOperator op);  // "sum", ...
struct Aggregation {
  AggregateOperator op = AggregateOperator::kSum;
  ExpressionPtr parameter = {};  // of topk, bottomk, count_values and quantile; else null
  ExpressionPtr inner = {};
  bool without = false;
  std::vector<std::string> grouping = {};  // sorted, each once
  std::vector<std::string> grouping_as_written = {};
};
enum class BinaryOperator : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kPower,
  kAtan2,
  kEqual,
  kNotEqual,
  kGreater,
  kLess,
  kGreaterEqual,
  kLessEqual,
  kAnd,
  kOr,
  kUnless
};
std::string_view BinaryOperatorText(BinaryOperator op);  // "+", ..., "atan2", "and"
inline bool IsComparison(BinaryOperator op) {
  return op >= BinaryOperator::kEqual && op <= BinaryOperator::kLessEqual;
}
inline bool IsSetOperator(BinaryOperator op) {
  return op >= BinaryOperator::kAnd;
}
enum class MatchCardinality : uint8_t { kOneToOne, kManyToOne, kOneToMany, kManyToMany };
// Which series of two vectors belong together. kManyToMany: set operators.
struct VectorMatching {
  MatchCardinality cardinality = MatchCardinality::kOneToOne;
  bool on = false;                        // else ignoring, which is the default, of no label
  std::vector<std::string> labels = {};   // sorted, each once
  std::vector<std::string> include = {};  // of group_left or group_right
  std::vector<std::string> labels_as_written = {};
  friend bool operator==(const VectorMatching&, const VectorMatching&) = default;
};
struct Binary {
  BinaryOperator op = BinaryOperator::kAdd;
  ExpressionPtr left = {};
  ExpressionPtr right = {};
  bool return_bool = false;
  std::optional<VectorMatching> matching = {};  // if both sides are vectors
};
struct Unary {
  bool negate = false;
  ExpressionPtr inner = {};
};
struct Parentheses {
  ExpressionPtr inner = {};
};

struct Expression {
  std::variant<NumberLiteral,
               StringLiteral,
               VectorSelector,
               MatrixSelector,
               Subquery,
               Call,
               Aggregation,
               Binary,
               Unary,
               Parentheses>
      node;
  ValueType type = ValueType::kScalar;
  TextRange where;
};

}  // namespace hourcell::promql
