#include "promql/text/parser.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "promql/labels.h"
#include "promql/text/later_language.h"
#include "promql/text/literals.h"
#include "promql/text/matcher.h"
#include "promql/text/query_error.h"
#include "promql/text/token.h"
#include "promql/text/type_check.h"

namespace hourcell::promql {
namespace {

// How strongly operators bind. A sign binds as * does, so its operand takes only ^.
constexpr int kWeakestPower = 1;
constexpr int kPowerOfPower = 6;
int BindingPower(BinaryOperator op) {
  if (op == BinaryOperator::kOr) return kWeakestPower;
  if (op == BinaryOperator::kAnd || op == BinaryOperator::kUnless) return 2;
  if (IsComparison(op)) return 3;
  if (op == BinaryOperator::kAdd || op == BinaryOperator::kSubtract) return 4;
  return op == BinaryOperator::kPower ? kPowerOfPower : 5;
}

bool HasParameter(AggregateOperator op) {
  return op >= AggregateOperator::kTopk;
}

// Words that are the name of a metric where an operand is expected.
bool IsMetricWord(const Token& token) {
  switch (token.kind) {
    case TokenKind::kIdentifier:
    case TokenKind::kMetricIdentifier:
    case TokenKind::kAggregate:
    case TokenKind::kBy:
    case TokenKind::kOffset:
    case TokenKind::kWithout:
    case TokenKind::kStart:
    case TokenKind::kEndWord:
      return true;
    default:
      return token.kind == TokenKind::kBinary && IsSetOperator(token.binary);
  }
}

// Words that are a label in a list of labels.
bool IsLabelWord(const Token& token) {
  switch (token.kind) {
    case TokenKind::kBool:
    case TokenKind::kGroupLeft:
    case TokenKind::kGroupRight:
    case TokenKind::kIgnoring:
    case TokenKind::kOn:
      return true;
    case TokenKind::kMetricIdentifier:
    case TokenKind::kWithout:
      return false;
    default:
      return IsMetricWord(token) || token.is(BinaryOperator::kAtan2);
  }
}

bool IsSign(const Token& token) {
  return token.is(BinaryOperator::kAdd) || token.is(BinaryOperator::kSubtract);
}

bool StartsOperand(const Token& token) {
  return IsMetricWord(token) || IsSign(token) || token.kind == TokenKind::kNumber ||
         token.kind == TokenKind::kString || token.kind == TokenKind::kLeftParenthesis ||
         token.kind == TokenKind::kLeftBrace;
}

std::optional<MatchOperator> MatchOperatorOf(const Token& token) {
  switch (token.kind) {
    case TokenKind::kAssign:
      return MatchOperator::kEqual;
    case TokenKind::kMatchesRegexp:
      return MatchOperator::kRegexp;
    case TokenKind::kMatchesNotRegexp:
      return MatchOperator::kNotRegexp;
    default:
      break;
  }
  if (token.is(BinaryOperator::kNotEqual)) return MatchOperator::kNotEqual;
  return std::nullopt;
}

std::vector<std::string> SortedOnce(std::vector<std::string> labels) {
  std::ranges::sort(labels);
  const auto repeated = std::ranges::unique(labels);
  labels.erase(repeated.begin(), repeated.end());
  return labels;
}

// An expression, and the levels of the tree that it is.
struct Parsed {
  ExpressionPtr expression;
  size_t levels = 0;

  ValueType type() const { return expression->type; }
  TextRange where() const { return expression->where; }
};

// Reads a token only when it decides something, so that the first of two errors is that which
// Prometheus' generated parser meets first.
class QueryParser {
 public:
  explicit QueryParser(std::string_view text) : text_(text), lexer_(text) {}

  absl::StatusOr<ExpressionPtr> ParseWholeQuery();
  absl::StatusOr<std::vector<LabelMatcher>> ParseWholeSelector();

 private:
  const Token& Peek();
  Token Take();
  bool TakeIf(TokenKind kind);
  absl::Status Fail(size_t at, std::string_view message);
  absl::Status Unexpected(std::string_view context, std::string_view expected);
  absl::Status Unexpected();
  absl::Status Later(size_t at, std::string_view subject);
  absl::Status TooDeep(size_t at);
  absl::Status Expect(TokenKind kind);

  template <typename T>
  absl::StatusOr<Parsed> Make(T node, ValueType type, TextRange where, size_t inner_levels);

  absl::StatusOr<Parsed> ParseExpression(int power_min);
  absl::StatusOr<Parsed> ParseOperators(int power_min);
  absl::StatusOr<Parsed> ParseOperand();
  absl::StatusOr<Parsed> ParseSigned();
  absl::StatusOr<Parsed> ParsePrimary();
  absl::StatusOr<Parsed> ParseNumber();
  absl::StatusOr<Parsed> ParseParentheses();
  absl::StatusOr<Parsed> ParseWord();
  absl::StatusOr<Parsed> ParseCall(const Token& name);
  absl::StatusOr<std::vector<Parsed>> ParseArguments();
  absl::StatusOr<Parsed> ParseAggregation(const Token& name);
  absl::StatusOr<Parsed> MakeAggregation(const Token& name,
                                         Aggregation node,
                                         std::vector<Parsed> arguments);
  absl::Status ParseAggregateModifier(Aggregation* node);
  absl::StatusOr<Parsed> ParseSelector(const Token* metric);
  absl::StatusOr<std::vector<LabelMatcher>> ParseMatchers();
  absl::StatusOr<LabelMatcher> ParseMatcher();

  absl::Status ParseMatching(Binary* node);
  absl::StatusOr<std::vector<std::string>> ParseLabels();
  absl::StatusOr<Parsed> MakeBinary(Binary node, Parsed left, Parsed right);

  absl::StatusOr<Parsed> ParsePostfixes(Parsed operand);
  absl::StatusOr<Parsed> ParseRange(Parsed inner);
  absl::StatusOr<Parsed> MakeMatrix(Parsed inner, size_t bracket_begin, int64_t range_ms);
  absl::Status ParseOffset(Expression* expression);
  absl::Status ParseAt(Expression* expression);
  absl::Status SetAtTime(Expression* expression, double seconds);
  absl::StatusOr<TimeShift*> AtShiftOf(Expression* expression);
  absl::StatusOr<double> TakeNumber();
  absl::StatusOr<int64_t> TakeDuration();

  std::string_view text_;
  Lexer lexer_;
  Token token_;              // the last one that was read
  bool is_pending_ = false;  // token_ is not yet taken
  absl::Status lexer_error_;
  size_t depth_ = 0;
  size_t aggregations_ = 0;  // around the token
  size_t closing_end_ = 0;   // of the last taken token that can close an operand
};

const Token& QueryParser::Peek() {
  if (is_pending_) return token_;
  token_ = lexer_.Next();
  is_pending_ = true;
  if (token_.kind == TokenKind::kError)
    lexer_error_ = QueryError(text_, token_.where.begin, token_.error);
  return token_;
}

Token QueryParser::Take() {
  Peek();
  is_pending_ = false;
  closing_end_ = token_.where.end;
  return token_;
}

bool QueryParser::TakeIf(TokenKind kind) {
  if (Peek().kind != kind) return false;
  Take();
  return true;
}

absl::Status QueryParser::Fail(size_t at, std::string_view message) {
  return lexer_error_.ok() ? QueryError(text_, at, message) : lexer_error_;
}

absl::Status QueryParser::Unexpected(std::string_view context, std::string_view expected) {
  std::string message = "unexpected " + DescribeToken(token_);
  if (!context.empty()) message += fmt::format(" in {}", context);
  if (!expected.empty()) message += fmt::format(", expected {}", expected);
  return Fail(token_.where.begin, message);
}

absl::Status QueryParser::Unexpected() {
  Peek();
  if (token_.kind == TokenKind::kIdentifier && IsLaterModifier(token_.text))
    return Later(token_.where.begin, token_.text);
  return Unexpected(aggregations_ > 0 ? "aggregation" : "", "");
}

absl::Status QueryParser::Later(size_t at, std::string_view subject) {
  return Fail(at, LaterLanguageText(subject));
}

absl::Status QueryParser::TooDeep(size_t at) {
  return Fail(at, fmt::format("nested too deeply; expected at most {} levels", kQueryDepth));
}

absl::Status QueryParser::Expect(TokenKind kind) {
  return TakeIf(kind) ? absl::OkStatus() : Unexpected();
}

template <typename T>
absl::StatusOr<Parsed> QueryParser::Make(T node,
                                         ValueType type,
                                         TextRange where,
                                         size_t inner_levels) {
  if (inner_levels >= kQueryDepth) return TooDeep(where.begin);
  auto expression = std::make_unique<Expression>();
  expression->node = std::move(node);
  expression->type = type;
  expression->where = where;
  return Parsed{std::move(expression), inner_levels + 1};
}

absl::StatusOr<ExpressionPtr> QueryParser::ParseWholeQuery() {
  if (Peek().kind == TokenKind::kEnd) return Fail(0, "no expression found in input");
  HOURCELL_ASSIGN_OR_RETURN(Parsed whole, ParseExpression(kWeakestPower));
  if (Peek().kind != TokenKind::kEnd) return Unexpected();
  HOURCELL_RETURN_IF_ERROR(CheckTypes(text_, whole.expression.get()));
  return std::move(whole.expression);
}

absl::StatusOr<std::vector<LabelMatcher>> QueryParser::ParseWholeSelector() {
  std::optional<Token> metric;
  if (IsMetricWord(Peek())) metric = Take();
  if (!metric.has_value() && Peek().kind != TokenKind::kLeftBrace) return Unexpected();
  HOURCELL_ASSIGN_OR_RETURN(Parsed selector, ParseSelector(metric ? &*metric : nullptr));
  if (Peek().kind != TokenKind::kEnd) return Unexpected();
  return std::move(std::get<VectorSelector>(selector.expression->node).matchers);
}

absl::StatusOr<Parsed> QueryParser::ParseExpression(int power_min) {
  // The sign of a number, which is not a level of the tree, is one here.
  if (depth_ > kQueryDepth) return TooDeep(Peek().where.begin);
  ++depth_;
  absl::StatusOr<Parsed> parsed = ParseOperators(power_min);
  --depth_;
  return parsed;
}

// An operand and all operators after it that bind at least as strongly as `power_min`.
absl::StatusOr<Parsed> QueryParser::ParseOperators(int power_min) {
  HOURCELL_ASSIGN_OR_RETURN(Parsed left, ParseOperand());
  while (Peek().kind == TokenKind::kBinary && BindingPower(Peek().binary) >= power_min) {
    Binary node;
    node.op = Take().binary;
    HOURCELL_RETURN_IF_ERROR(ParseMatching(&node));
    const bool is_right_associative = node.op == BinaryOperator::kPower;
    const int power = BindingPower(node.op) + (is_right_associative ? 0 : 1);
    HOURCELL_ASSIGN_OR_RETURN(Parsed right, ParseExpression(power));
    HOURCELL_ASSIGN_OR_RETURN(left, MakeBinary(std::move(node), std::move(left), std::move(right)));
  }
  return left;
}

absl::StatusOr<Parsed> QueryParser::MakeBinary(Binary node, Parsed left, Parsed right) {
  const bool is_scalar = left.type() == ValueType::kScalar && right.type() == ValueType::kScalar;
  const TextRange where{left.where().begin, right.where().end};
  const size_t levels = std::max(left.levels, right.levels);
  node.left = std::move(left.expression);
  node.right = std::move(right.expression);
  return Make(std::move(node), is_scalar ? ValueType::kScalar : ValueType::kVector, where, levels);
}

// bool, on (a) or ignoring (a), group_left (b) or group_right (b).
absl::Status QueryParser::ParseMatching(Binary* node) {
  VectorMatching& matching = node->matching.emplace();
  node->return_bool = TakeIf(TokenKind::kBool);
  matching.on = TakeIf(TokenKind::kOn);
  if (!matching.on && !TakeIf(TokenKind::kIgnoring)) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(matching.labels_as_written, ParseLabels());
  matching.labels = SortedOnce(matching.labels_as_written);
  const TokenKind group = Peek().kind;
  if (group != TokenKind::kGroupLeft && group != TokenKind::kGroupRight) return absl::OkStatus();
  Take();
  matching.cardinality =
      group == TokenKind::kGroupLeft ? MatchCardinality::kManyToOne : MatchCardinality::kOneToMany;
  // A parenthesis is that of the labels, also where none would make it the operand.
  if (Peek().kind != TokenKind::kLeftParenthesis && StartsOperand(Peek())) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(matching.include, ParseLabels());
  return absl::OkStatus();
}

// (a, b)
absl::StatusOr<std::vector<std::string>> QueryParser::ParseLabels() {
  constexpr std::string_view kContext = "grouping opts";
  if (!TakeIf(TokenKind::kLeftParenthesis)) return Unexpected(kContext, "\"(\"");
  std::vector<std::string> labels;
  while (!TakeIf(TokenKind::kRightParenthesis)) {
    if (Peek().kind == TokenKind::kString)
      return Later(Peek().where.begin, "a label name in quotes");
    if (!IsLabelWord(Peek())) return Unexpected(kContext, "label");
    labels.emplace_back(Take().text);
    if (TakeIf(TokenKind::kComma)) continue;
    if (Peek().kind != TokenKind::kRightParenthesis) return Unexpected(kContext, "\",\" or \")\"");
  }
  return labels;
}

absl::StatusOr<Parsed> QueryParser::ParseOperand() {
  if (IsSign(Peek())) return ParseSigned();
  HOURCELL_ASSIGN_OR_RETURN(Parsed primary, ParsePrimary());
  return ParsePostfixes(std::move(primary));
}

absl::StatusOr<Parsed> QueryParser::ParseSigned() {
  const Token sign = Take();
  const bool negate = sign.is(BinaryOperator::kSubtract);
  HOURCELL_ASSIGN_OR_RETURN(Parsed inner, ParseExpression(kPowerOfPower));
  if (auto* number = std::get_if<NumberLiteral>(&inner.expression->node)) {
    if (negate) number->value = -number->value;
    inner.expression->where.begin = sign.where.begin;
    return inner;
  }
  const ValueType type = inner.type();
  const TextRange where{sign.where.begin, inner.where().end};
  return Make(Unary{.negate = negate, .inner = std::move(inner.expression)}, type, where,
              inner.levels);
}

absl::StatusOr<Parsed> QueryParser::ParsePrimary() {
  switch (Peek().kind) {
    case TokenKind::kNumber:
      return ParseNumber();
    case TokenKind::kLeftParenthesis:
      return ParseParentheses();
    case TokenKind::kLeftBrace:
      return ParseSelector(/*metric=*/nullptr);
    case TokenKind::kString: {
      const Token token = Take();
      return Make(StringLiteral{Unquote(token.text)}, ValueType::kString, token.where, 0);
    }
    default:
      return IsMetricWord(Peek()) ? ParseWord() : Unexpected();
  }
}

absl::StatusOr<double> QueryParser::TakeNumber() {
  const Token token = Take();
  const auto value = ParseNumberLiteral(token.text);
  if (!value.ok()) return Fail(token.where.begin, MessageOf(value.status()));
  return *value;
}

absl::StatusOr<Parsed> QueryParser::ParseNumber() {
  const TextRange where = Peek().where;
  HOURCELL_ASSIGN_OR_RETURN(const double value, TakeNumber());
  return Make(NumberLiteral{value}, ValueType::kScalar, where, 0);
}

absl::StatusOr<Parsed> QueryParser::ParseParentheses() {
  const size_t begin = Take().where.begin;
  HOURCELL_ASSIGN_OR_RETURN(Parsed inner, ParseExpression(kWeakestPower));
  HOURCELL_RETURN_IF_ERROR(Expect(TokenKind::kRightParenthesis));
  const ValueType type = inner.type();
  return Make(Parentheses{std::move(inner.expression)}, type, {begin, closing_end_}, inner.levels);
}

// A call, an aggregation or a selector.
absl::StatusOr<Parsed> QueryParser::ParseWord() {
  const Token word = Take();
  const TokenKind next = Peek().kind;
  const bool is_modifier = next == TokenKind::kBy || next == TokenKind::kWithout;
  const bool is_open = next == TokenKind::kLeftParenthesis;
  if (word.kind == TokenKind::kAggregate && (is_open || is_modifier)) return ParseAggregation(word);
  if (word.kind == TokenKind::kIdentifier && is_open) return ParseCall(word);
  if (word.kind == TokenKind::kIdentifier && is_modifier && IsLaterAggregation(word.text))
    return Later(word.where.begin, word.text);
  return ParseSelector(&word);
}

absl::StatusOr<Parsed> QueryParser::ParseCall(const Token& name) {
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Parsed> arguments, ParseArguments());
  const FunctionSignature* signature = FindFunction(name.text);
  if (signature == nullptr) {
    if (IsLaterFunction(name.text)) return Later(name.where.begin, name.text);
    return Fail(name.where.begin, fmt::format("unknown function with name \"{}\"", name.text));
  }
  Call node{.function = signature->function, .arguments = {}};
  size_t levels = 0;
  for (Parsed& argument : arguments) {
    levels = std::max(levels, argument.levels);
    node.arguments.push_back(std::move(argument.expression));
  }
  return Make(std::move(node), signature->result, {name.where.begin, closing_end_}, levels);
}

// (a, b)
absl::StatusOr<std::vector<Parsed>> QueryParser::ParseArguments() {
  HOURCELL_RETURN_IF_ERROR(Expect(TokenKind::kLeftParenthesis));
  std::vector<Parsed> arguments;
  if (TakeIf(TokenKind::kRightParenthesis)) return arguments;
  while (true) {
    HOURCELL_ASSIGN_OR_RETURN(Parsed argument, ParseExpression(kWeakestPower));
    arguments.push_back(std::move(argument));
    if (Peek().kind != TokenKind::kComma) break;
    const size_t comma = Take().where.begin;
    if (!StartsOperand(Peek()))
      return Fail(comma, "trailing commas not allowed in function call args");
  }
  HOURCELL_RETURN_IF_ERROR(Expect(TokenKind::kRightParenthesis));
  return arguments;
}

absl::StatusOr<Parsed> QueryParser::ParseAggregation(const Token& name) {
  Aggregation node;
  node.op = name.aggregate;
  ++aggregations_;
  const bool is_first = Peek().kind != TokenKind::kLeftParenthesis;
  if (is_first) HOURCELL_RETURN_IF_ERROR(ParseAggregateModifier(&node));
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Parsed> arguments, ParseArguments());
  if (!is_first) HOURCELL_RETURN_IF_ERROR(ParseAggregateModifier(&node));
  --aggregations_;
  return MakeAggregation(name, std::move(node), std::move(arguments));
}

absl::StatusOr<Parsed> QueryParser::MakeAggregation(const Token& name,
                                                    Aggregation node,
                                                    std::vector<Parsed> arguments) {
  if (arguments.empty())
    return Fail(name.where.begin, "no arguments for aggregate expression provided");
  const size_t expected = HasParameter(node.op) ? 2 : 1;
  if (arguments.size() != expected) {
    return Fail(name.where.begin,
                fmt::format("wrong number of arguments for aggregate expression provided, "
                            "expected {}, got {}",
                            expected, arguments.size()));
  }
  const size_t levels = std::max(arguments.front().levels, arguments.back().levels);
  node.inner = std::move(arguments.back().expression);
  if (expected == 2) node.parameter = std::move(arguments.front().expression);
  return Make(std::move(node), ValueType::kVector, {name.where.begin, closing_end_}, levels);
}

absl::Status QueryParser::ParseAggregateModifier(Aggregation* node) {
  node->without = TakeIf(TokenKind::kWithout);
  if (!node->without && !TakeIf(TokenKind::kBy)) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(node->grouping_as_written, ParseLabels());
  node->grouping = SortedOnce(node->grouping_as_written);
  return absl::OkStatus();
}

// REQUIRES: a metric, which is taken, or a left brace that follows.
absl::StatusOr<Parsed> QueryParser::ParseSelector(const Token* metric) {
  VectorSelector node;
  const bool has_braces = Peek().kind == TokenKind::kLeftBrace;
  TextRange where = metric != nullptr ? metric->where : Peek().where;
  if (has_braces) {
    HOURCELL_ASSIGN_OR_RETURN(node.matchers, ParseMatchers());
    where.end = closing_end_;
  }
  if (metric != nullptr) {
    node.metric = metric->text;
    node.matchers.push_back({std::string(kMetricName), MatchOperator::kEqual, node.metric});
  }
  return Make(std::move(node), ValueType::kVector, where, 0);
}

absl::StatusOr<std::vector<LabelMatcher>> QueryParser::ParseMatchers() {
  Take();
  std::vector<LabelMatcher> matchers;
  while (!TakeIf(TokenKind::kRightBrace)) {
    HOURCELL_ASSIGN_OR_RETURN(LabelMatcher matcher, ParseMatcher());
    matchers.push_back(std::move(matcher));
    if (TakeIf(TokenKind::kComma)) continue;
    if (Peek().kind != TokenKind::kRightBrace)
      return Unexpected("label matching", "\",\" or \"}\"");
  }
  return matchers;
}

absl::StatusOr<LabelMatcher> QueryParser::ParseMatcher() {
  constexpr std::string_view kContext = "label matching";
  if (Peek().kind == TokenKind::kString)
    return Later(Peek().where.begin, "a metric or label name in quotes");
  if (Peek().kind != TokenKind::kIdentifier) return Unexpected(kContext, "identifier or \"}\"");
  const Token name = Take();
  const auto op = MatchOperatorOf(Peek());
  if (!op.has_value()) return Unexpected(kContext, "label matching operator");
  Take();
  if (Peek().kind != TokenKind::kString) return Unexpected(kContext, "string");
  LabelMatcher matcher{std::string(name.text), *op, Unquote(Take().text)};
  if (const auto status = CheckMatcher(matcher); !status.ok())
    return Fail(name.where.begin, MessageOf(status));
  return matcher;
}

absl::StatusOr<Parsed> QueryParser::ParsePostfixes(Parsed operand) {
  while (true) {
    switch (Peek().kind) {
      case TokenKind::kLeftBracket: {
        HOURCELL_ASSIGN_OR_RETURN(operand, ParseRange(std::move(operand)));
        break;
      }
      case TokenKind::kOffset:
        HOURCELL_RETURN_IF_ERROR(ParseOffset(operand.expression.get()));
        break;
      case TokenKind::kAt:
        HOURCELL_RETURN_IF_ERROR(ParseAt(operand.expression.get()));
        break;
      default:
        return operand;
    }
  }
}

absl::StatusOr<int64_t> QueryParser::TakeDuration() {
  const Token token = Take();
  const auto ms = ParseDuration(token.text);
  if (!ms.ok()) return Fail(token.where.begin, MessageOf(ms.status()));
  if (*ms == 0) return Fail(token.where.begin, "duration must be greater than 0");
  return *ms;
}

// [5m], [5m:] or [5m:1m]
absl::StatusOr<Parsed> QueryParser::ParseRange(Parsed inner) {
  const size_t bracket = Take().where.begin;
  // The lexer gives a duration or an error.
  if (Peek().kind != TokenKind::kDuration) return Unexpected("subquery selector", "duration");
  HOURCELL_ASSIGN_OR_RETURN(const int64_t range_ms, TakeDuration());
  if (TakeIf(TokenKind::kRightBracket)) return MakeMatrix(std::move(inner), bracket, range_ms);
  if (Peek().kind == TokenKind::kBinary) return Later(Peek().where.begin, "an operator in a range");
  if (!TakeIf(TokenKind::kColon)) return Unexpected("subquery or range", "\":\" or \"]\"");
  Subquery node;
  node.range_ms = range_ms;
  const bool has_step = Peek().kind == TokenKind::kDuration;
  if (has_step) {
    HOURCELL_ASSIGN_OR_RETURN(node.step_ms, TakeDuration());
  }
  if (!TakeIf(TokenKind::kRightBracket))
    return Unexpected("subquery selector", has_step ? "\"]\"" : "duration or \"]\"");
  const TextRange where{inner.where().begin, closing_end_};
  node.inner = std::move(inner.expression);
  return Make(std::move(node), ValueType::kMatrix, where, inner.levels);
}

absl::StatusOr<Parsed> QueryParser::MakeMatrix(Parsed inner,
                                               size_t bracket_begin,
                                               int64_t range_ms) {
  const auto* selector = std::get_if<VectorSelector>(&inner.expression->node);
  if (selector == nullptr) return Fail(bracket_begin, "ranges only allowed for vector selectors");
  if (selector->shift.offset_ms != 0)
    return Fail(bracket_begin, "no offset modifiers allowed before range");
  if (selector->shift.at != TimeShift::At::kNone)
    return Fail(bracket_begin, "no @ modifiers allowed before range");
  const TextRange where{inner.where().begin, closing_end_};
  return Make(MatrixSelector{.selector = std::move(inner.expression), .range_ms = range_ms},
              ValueType::kMatrix, where, inner.levels);
}

// The shift of a selector with or without range, or of a subquery; null for other expressions.
TimeShift* ShiftOf(Expression* expression) {
  if (auto* vector = std::get_if<VectorSelector>(&expression->node)) return &vector->shift;
  if (auto* subquery = std::get_if<Subquery>(&expression->node)) return &subquery->shift;
  if (auto* matrix = std::get_if<MatrixSelector>(&expression->node))
    return ShiftOf(matrix->selector.get());
  return nullptr;
}

absl::Status QueryParser::ParseOffset(Expression* expression) {
  Take();
  const bool negate = Peek().is(BinaryOperator::kSubtract);
  if (negate) Take();
  if (Peek().kind != TokenKind::kDuration) return Unexpected("offset", "duration");
  HOURCELL_ASSIGN_OR_RETURN(const int64_t offset_ms, TakeDuration());
  TimeShift* shift = ShiftOf(expression);
  if (shift == nullptr) {
    return Fail(expression->where.begin,
                "offset modifier must be preceded by an instant vector selector or range vector "
                "selector or a subquery");
  }
  if (shift->offset_ms != 0)
    return Fail(expression->where.begin, "offset may not be set multiple times");
  shift->offset_ms = negate ? -offset_ms : offset_ms;
  expression->where.end = closing_end_;
  return absl::OkStatus();
}

absl::StatusOr<TimeShift*> QueryParser::AtShiftOf(Expression* expression) {
  TimeShift* shift = ShiftOf(expression);
  if (shift == nullptr) {
    return Fail(expression->where.begin,
                "@ modifier must be preceded by an instant vector selector or range vector "
                "selector or a subquery");
  }
  if (shift->at != TimeShift::At::kNone)
    return Fail(expression->where.begin, "@ <timestamp> may not be set multiple times");
  return shift;
}

// @ 1609746000, @ -5, @ start() or @ end()
absl::Status QueryParser::ParseAt(Expression* expression) {
  const auto unexpected = [this] {
    Peek();
    return Unexpected("@", "timestamp");
  };
  Take();
  const TokenKind kind = Peek().kind;
  if (kind == TokenKind::kStart || kind == TokenKind::kEndWord) {
    Take();
    if (!TakeIf(TokenKind::kLeftParenthesis)) return unexpected();
    if (!TakeIf(TokenKind::kRightParenthesis)) return unexpected();
    HOURCELL_ASSIGN_OR_RETURN(TimeShift* const shift, AtShiftOf(expression));
    shift->at = kind == TokenKind::kStart ? TimeShift::At::kStart : TimeShift::At::kEnd;
    expression->where.end = closing_end_;
    return absl::OkStatus();
  }
  const bool negate = Peek().is(BinaryOperator::kSubtract);
  if (IsSign(Peek())) Take();
  if (Peek().kind != TokenKind::kNumber) return unexpected();
  HOURCELL_ASSIGN_OR_RETURN(const double seconds, TakeNumber());
  return SetAtTime(expression, negate ? -seconds : seconds);
}

absl::Status QueryParser::SetAtTime(Expression* expression, double seconds) {
  if (!(seconds > -0x1p63 && seconds < 0x1p63)) {
    std::string text = fmt::format("{:.6f}", seconds);
    if (!std::isfinite(seconds)) {
      text.clear();
      AppendNumberLiteral(seconds, &text);
    }
    return Fail(expression->where.begin, "timestamp out of bounds for @ modifier: " + text);
  }
  HOURCELL_ASSIGN_OR_RETURN(TimeShift* const shift, AtShiftOf(expression));
  shift->at = TimeShift::At::kTime;
  shift->at_ms = AtTimeMs(seconds);
  expression->where.end = closing_end_;
  return absl::OkStatus();
}

absl::Status CheckSize(std::string_view text) {
  if (text.size() <= kQueryBytes) return absl::OkStatus();
  return QueryError(text, 0,
                    fmt::format("expected at most {} bytes, got {}", kQueryBytes, text.size()));
}

}  // namespace

absl::StatusOr<ExpressionPtr> ParseQuery(std::string_view text) {
  HOURCELL_RETURN_IF_ERROR(CheckSize(text));
  return QueryParser(text).ParseWholeQuery();
}

absl::StatusOr<std::vector<LabelMatcher>> ParseSelector(std::string_view text) {
  HOURCELL_RETURN_IF_ERROR(CheckSize(text));
  return QueryParser(text).ParseWholeSelector();
}

}  // namespace hourcell::promql
