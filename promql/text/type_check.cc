#include "promql/text/type_check.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "promql/labels.h"
#include "promql/text/function.h"
#include "promql/text/matcher.h"
#include "promql/text/query_error.h"
#include "promql/text/quoting.h"

namespace hourcell::promql {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool IsScalarOrVector(ValueType type) {
  return type == ValueType::kScalar || type == ValueType::kVector;
}

// A type in the error of a subquery.
std::string_view ShortTypeText(ValueType type) {
  switch (type) {
    case ValueType::kVector:
      return "vector";
    case ValueType::kMatrix:
      return "matrix";
    default:
      return ValueTypeText(type);
  }
}

class TypeCheck {
 public:
  explicit TypeCheck(std::string_view text) : text_(text) {}

  absl::Status Check(Expression* expression) const {
    return std::visit([&](auto& node) { return CheckNode(&node, *expression); }, expression->node);
  }

 private:
  absl::Status Fail(TextRange where, std::string_view message) const {
    return QueryError(text_, where.begin, message);
  }

  absl::Status CheckNode(NumberLiteral*, const Expression&) const { return absl::OkStatus(); }
  absl::Status CheckNode(StringLiteral*, const Expression&) const { return absl::OkStatus(); }
  absl::Status CheckNode(Parentheses* node, const Expression&) const {
    return Check(node->inner.get());
  }
  absl::Status CheckNode(MatrixSelector* node, const Expression&) const {
    return Check(node->selector.get());
  }
  absl::Status CheckNode(VectorSelector* node, const Expression& expression) const;
  absl::Status CheckNode(Subquery* node, const Expression& expression) const;
  absl::Status CheckNode(Unary* node, const Expression& expression) const;
  absl::Status CheckNode(Call* node, const Expression& expression) const;
  absl::Status CheckNode(Aggregation* node, const Expression& expression) const;
  absl::Status CheckNode(Binary* node, const Expression& expression) const;

  absl::Status CheckOperator(const Binary& node) const;
  absl::Status CheckSides(const Binary& node) const;
  absl::Status CheckMatching(Binary* node, const Expression& expression) const;
  absl::Status ExpectType(Expression* node, ValueType want, std::string_view context) const;
  absl::Status CheckArgumentCount(const Call& call, const Expression& expression) const;
  TextRange OperatorOf(const Binary& node) const;

  std::string_view text_;
};

absl::Status TypeCheck::ExpectType(Expression* node,
                                   ValueType want,
                                   std::string_view context) const {
  HOURCELL_RETURN_IF_ERROR(Check(node));
  if (node->type == want) return absl::OkStatus();
  return Fail(node->where, fmt::format("expected type {} in {}, got {}", ValueTypeText(want),
                                       context, ValueTypeText(node->type)));
}

absl::Status TypeCheck::CheckNode(VectorSelector* node, const Expression& expression) const {
  if (node->metric.empty()) {
    if (std::ranges::all_of(node->matchers, MatchesEmptyValue)) {
      return Fail(expression.where, "vector selector must contain at least one non-empty matcher");
    }
    return absl::OkStatus();
  }
  for (size_t i = 0; i + 1 < node->matchers.size(); ++i) {
    const LabelMatcher& matcher = node->matchers[i];
    if (matcher.name != kMetricName) continue;
    return Fail(expression.where, fmt::format("metric name must not be set twice: {} or {}",
                                              Quoted(node->metric), Quoted(matcher.value)));
  }
  return absl::OkStatus();
}

absl::Status TypeCheck::CheckNode(Subquery* node, const Expression& expression) const {
  HOURCELL_RETURN_IF_ERROR(Check(node->inner.get()));
  if (node->inner->type == ValueType::kVector) return absl::OkStatus();
  return Fail(expression.where, fmt::format("subquery is only allowed on instant vector, got {} "
                                            "instead",
                                            ShortTypeText(node->inner->type)));
}

absl::Status TypeCheck::CheckNode(Unary* node, const Expression& expression) const {
  HOURCELL_RETURN_IF_ERROR(Check(node->inner.get()));
  if (IsScalarOrVector(node->inner->type)) return absl::OkStatus();
  return Fail(expression.where, fmt::format("unary expression only allowed on expressions of type "
                                            "scalar or instant vector, got \"{}\"",
                                            ValueTypeText(node->inner->type)));
}

absl::Status TypeCheck::CheckArgumentCount(const Call& call, const Expression& expression) const {
  const FunctionSignature& signature = SignatureOf(call.function);
  const size_t most = signature.arguments.size();
  const size_t least = most - signature.optional_arguments;
  const size_t got = call.arguments.size();
  if (got >= least && (got <= most || signature.is_variadic)) return absl::OkStatus();
  const bool is_fixed = least == most && !signature.is_variadic;
  const std::string_view bound = is_fixed ? "" : (got < least ? "at least " : "at most ");
  return Fail(expression.where,
              fmt::format("expected {}{} argument(s) in call to \"{}\", got {}", bound,
                          got < least ? least : most, signature.name, got));
}

absl::Status TypeCheck::CheckNode(Call* node, const Expression& expression) const {
  HOURCELL_RETURN_IF_ERROR(CheckArgumentCount(*node, expression));
  const FunctionSignature& signature = SignatureOf(node->function);
  const std::string context = fmt::format("call to function \"{}\"", signature.name);
  for (size_t i = 0; i < node->arguments.size(); ++i) {
    const size_t place = std::min(i, signature.arguments.size() - 1);
    HOURCELL_RETURN_IF_ERROR(
        ExpectType(node->arguments[i].get(), signature.arguments[place], context));
  }
  return absl::OkStatus();
}

absl::Status TypeCheck::CheckNode(Aggregation* node, const Expression&) const {
  HOURCELL_RETURN_IF_ERROR(
      ExpectType(node->inner.get(), ValueType::kVector, "aggregation expression"));
  if (node->parameter == nullptr) return absl::OkStatus();
  const bool is_label = node->op == AggregateOperator::kCountValues;
  return ExpectType(node->parameter.get(), is_label ? ValueType::kString : ValueType::kScalar,
                    "aggregation parameter");
}

absl::Status TypeCheck::CheckNode(Binary* node, const Expression& expression) const {
  HOURCELL_RETURN_IF_ERROR(Check(node->left.get()));
  HOURCELL_RETURN_IF_ERROR(Check(node->right.get()));
  HOURCELL_RETURN_IF_ERROR(CheckOperator(*node));
  HOURCELL_RETURN_IF_ERROR(CheckSides(*node));
  return CheckMatching(node, expression);
}

absl::Status TypeCheck::CheckOperator(const Binary& node) const {
  const bool is_scalar =
      node.left->type == ValueType::kScalar && node.right->type == ValueType::kScalar;
  if (node.return_bool && !IsComparison(node.op))
    return Fail(OperatorOf(node), "bool modifier can only be used on comparison operators");
  if (!node.return_bool && IsComparison(node.op) && is_scalar)
    return Fail(OperatorOf(node), "comparisons between scalars must use BOOL modifier");
  HOURCELL_CHECK(node.matching.has_value());
  if (!node.matching->on) return absl::OkStatus();
  for (const std::string& label : node.matching->labels) {
    if (std::ranges::find(node.matching->include, label) == node.matching->include.end()) continue;
    return Fail(
        OperatorOf(node),
        fmt::format("label {} must not occur in ON and GROUP clause at once", Quoted(label)));
  }
  return absl::OkStatus();
}

absl::Status TypeCheck::CheckSides(const Binary& node) const {
  for (const Expression* side : {node.left.get(), node.right.get()}) {
    if (IsScalarOrVector(side->type)) continue;
    return Fail(side->where, "binary expression must contain only scalar and instant vector types");
  }
  return absl::OkStatus();
}

absl::Status TypeCheck::CheckMatching(Binary* node, const Expression& expression) const {
  const bool is_set = IsSetOperator(node->op);
  if (node->left->type != ValueType::kVector || node->right->type != ValueType::kVector) {
    if (!node->matching->labels.empty())
      return Fail(expression.where, "vector matching only allowed between instant vectors");
    node->matching.reset();
    if (!is_set) return absl::OkStatus();
    return Fail(expression.where,
                fmt::format("set operator \"{}\" not allowed in binary scalar expression",
                            BinaryOperatorText(node->op)));
  }
  if (!is_set) return absl::OkStatus();
  if (node->matching->cardinality != MatchCardinality::kOneToOne) {
    return Fail(expression.where, fmt::format("no grouping allowed for \"{}\" operation",
                                              BinaryOperatorText(node->op)));
  }
  node->matching->cardinality = MatchCardinality::kManyToMany;
  return absl::OkStatus();
}

// The text between the sides, without blanks around it.
TextRange TypeCheck::OperatorOf(const Binary& node) const {
  TextRange where{node.left->where.end, node.right->where.begin};
  while (where.begin < where.end && IsBlank(text_[where.begin]))
    ++where.begin;
  while (where.end > where.begin && IsBlank(text_[where.end - 1]))
    --where.end;
  return where;
}

}  // namespace

absl::Status CheckTypes(std::string_view text, Expression* expression) {
  return TypeCheck(text).Check(expression);
}

}  // namespace hourcell::promql
