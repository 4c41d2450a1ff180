#include "engine/expressions/formula.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "engine/expressions/function_call.h"
#include "engine/query/functions/series_join.h"

// A Pratt parser: each operator has a power, and a side takes all operators that bind stronger. The
// result is a list of steps and not a tree, so that evaluation is a loop over arrays: each step
// works on a tile of rows, and both sides of a choice are calculated, since no step has an effect.

namespace hourcell {
namespace {

constexpr size_t kTileRows = 1024;
// Operands that wait for their operator; each has a tile.
constexpr size_t kStackMax = 64;
// For each row. A million rows then take about a second at most.
constexpr size_t kFormulaStepsMax = 1000;

constexpr std::string_view kReservedWords[] = {
    "and", "div", "else", "empty", "eq",  "false", "for", "foreach", "ge",   "gt",   "if",  "le",
    "lt",  "mod", "ne",   "new",   "not", "null",  "or",  "return",  "size", "true", "var", "while",
};

bool IsFormulaDigit(char c) {
  return c >= '0' && c <= '9';
}

// Letters are those of ASCII and every byte of another character.
bool IsFormulaLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

int64_t IntegerOf(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return INT64_MAX;
  if (value <= -0x1p63) return INT64_MIN;
  return static_cast<int64_t>(value);
}

bool IsTrue(double value) {
  return value != 0 && !std::isnan(value);
}

// Below 0, 0 or above 0 for less, equal and greater; NaN is less than every number.
int Compare(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return (std::isnan(b) ? 1 : 0) - (std::isnan(a) ? 1 : 0);
  return (a > b ? 1 : 0) - (a < b ? 1 : 0);
}

}  // namespace

bool IsReservedWord(std::string_view word) {
  return std::ranges::find(kReservedWords, word) != std::end(kReservedWords);
}

class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) { Next(); }

  absl::StatusOr<Formula> Parse() {
    HOURCELL_RETURN_IF_ERROR(ParseSide(/*power=*/0, /*depth=*/1));
    if (!token_.empty()) return Expected("an operator or the end");
    return std::move(formula_);
  }

 private:
  using Op = Formula::Op;

  struct Infix {
    std::string_view sign;
    std::string_view word;
    Op op;
    int power;
  };
  static constexpr int kChoicePower = 1;
  static constexpr int kPrefixPower = 11;
  static constexpr Infix kInfixes[] = {
      {"?", "", Op::kChoose, kChoicePower},
      {"?:", "", Op::kOrElse, kChoicePower},
      {"||", "or", Op::kOr, 2},
      {"&&", "and", Op::kAnd, 3},
      {"|", "", Op::kBitOr, 4},
      {"^", "", Op::kBitXor, 5},
      {"&", "", Op::kBitAnd, 6},
      {"==", "eq", Op::kEqual, 7},
      {"!=", "ne", Op::kNotEqual, 7},
      {"<", "lt", Op::kLess, 8},
      {">", "gt", Op::kGreater, 8},
      {"<=", "le", Op::kLessEqual, 8},
      {">=", "ge", Op::kGreaterEqual, 8},
      {"+", "", Op::kAdd, 9},
      {"-", "", Op::kSubtract, 9},
      {"*", "", Op::kMultiply, 10},
      {"/", "div", Op::kDivide, 10},
      {"%", "mod", Op::kRemainder, 10},
  };

  absl::Status Expected(std::string_view want) const {
    return ExpressionError(at_, want, token_.empty() ? "the end" : QuoteForMessage(token_));
  }

  // The size of the number or the word at `at_`, with what belongs to neither.
  size_t SizeOfWord() const {
    const size_t begin = at_;
    size_t end = begin;
    const bool is_number = IsFormulaDigit(text_[begin]);
    const bool is_hex =
        text_.substr(begin).starts_with("0x") || text_.substr(begin).starts_with("0X");
    while (end < text_.size()) {
      const char c = text_[end];
      const bool is_fraction = is_number && c == '.' && end + 1 < text_.size();
      const bool is_exponent_sign = is_number && !is_hex && (c == '+' || c == '-') &&
                                    (text_[end - 1] == 'e' || text_[end - 1] == 'E');
      if (!IsFormulaLetter(c) && !IsFormulaDigit(c) && !is_fraction && !is_exponent_sign) break;
      ++end;
    }
    return end - begin;
  }

  // Sets token_ to the next number, word or sign; empty at the end.
  void Next() {
    at_ += token_.size();
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r')))
      ++at_;
    if (at_ == text_.size()) {
      token_ = {};
    } else if (IsFormulaLetter(text_[at_]) || IsFormulaDigit(text_[at_])) {
      token_ = text_.substr(at_, SizeOfWord());
    } else {
      const std::string_view two = text_.substr(at_, 2);
      const bool is_sign = std::ranges::find(kInfixes, two, &Infix::sign) != std::end(kInfixes);
      token_ = two.substr(0, is_sign ? 2 : 1);
    }
  }

  const Infix* FindInfix() const {
    for (const Infix& infix : kInfixes) {
      if (!token_.empty() && (token_ == infix.sign || token_ == infix.word)) return &infix;
    }
    return nullptr;
  }

  absl::Status Push(const Formula::Step& step) {
    if (formula_.steps_.size() == kFormulaStepsMax) {
      return ExpressionError(at_, fmt::format("at most {} values and operators", kFormulaStepsMax),
                             "more");
    }
    stack_ -= Formula::OperandsOf(step.op);
    if (++stack_ > kStackMax) {
      return ExpressionError(
          at_, fmt::format("at most {} values that wait for an operator", kStackMax), "more");
    }
    formula_.stack_max_ = std::max(formula_.stack_max_, stack_);
    formula_.steps_.push_back(step);
    return absl::OkStatus();
  }

  // Parses a value and the operators after it that bind stronger than `power`.
  absl::Status ParseSide(int power, size_t depth) {
    if (depth > kExpressionDepthMax) {
      return ExpressionError(
          at_, fmt::format("at most {} levels of operators", kExpressionDepthMax), "more");
    }
    HOURCELL_RETURN_IF_ERROR(ParseValue(depth));
    for (const Infix* infix = FindInfix(); infix != nullptr && infix->power > power;
         infix = FindInfix()) {
      Next();
      // The right side of a choice may be another choice.
      const bool is_choice = infix->power == kChoicePower;
      if (infix->op == Op::kChoose) {
        HOURCELL_RETURN_IF_ERROR(ParseSide(/*power=*/0, depth + 1));
        if (token_ != ":") return Expected("':'");
        Next();
      }
      HOURCELL_RETURN_IF_ERROR(ParseSide(is_choice ? 0 : infix->power, depth + 1));
      HOURCELL_RETURN_IF_ERROR(Push({.op = infix->op}));
    }
    return absl::OkStatus();
  }

  absl::Status ParseValue(size_t depth) {
    const std::optional<Op> prefix = token_ == "-"                      ? std::optional(Op::kNegate)
                                     : token_ == "~"                    ? std::optional(Op::kBitNot)
                                     : token_ == "!" || token_ == "not" ? std::optional(Op::kNot)
                                                                        : std::nullopt;
    if (prefix.has_value()) {
      Next();
      HOURCELL_RETURN_IF_ERROR(ParseSide(kPrefixPower, depth + 1));
      return Push({.op = *prefix});
    }
    if (token_ == "(") {
      Next();
      HOURCELL_RETURN_IF_ERROR(ParseSide(/*power=*/0, depth + 1));
      if (token_ != ")") return Expected("')'");
      Next();
      return absl::OkStatus();
    }
    if (token_.empty() || !(IsFormulaLetter(token_[0]) || IsFormulaDigit(token_[0]))) {
      return Expected("a number, a variable or '('");
    }
    return IsFormulaDigit(token_[0]) ? ParseNumber() : ParseWord();
  }

  absl::Status ParseWord() {
    Formula::Step step{.op = Op::kNumber, .number = token_ == "true" ? 1.0 : 0.0};
    if (token_ != "true" && token_ != "false") {
      if (IsReservedWord(token_)) {
        return Expected("a number, a variable or '('; the word is reserved");
      }
      const auto found = std::ranges::find(formula_.variables_, token_);
      step.op = Op::kVariable;
      step.variable = static_cast<size_t>(found - formula_.variables_.begin());
      if (found == formula_.variables_.end()) formula_.variables_.emplace_back(token_);
    }
    Next();
    return Push(step);
  }

  // The digits of an integer in this base, without its prefix and suffix.
  static std::optional<double> WholeNumber(std::string_view digits, int base) {
    uint64_t number = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
      return std::nullopt;
    }
    return static_cast<double>(number);
  }

  static std::optional<double> NumberOf(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) return WholeNumber(text.substr(2), 16);
    constexpr std::string_view kSuffixes = "dDfFlLhHbB";
    if (kSuffixes.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    const bool is_whole = text.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_whole && text.size() > 1 && text[0] == '0') return WholeNumber(text.substr(1), 8);
    const Parsed<double> number = ParseDouble(text);
    const bool has_form = !text.empty() && IsFormulaDigit(text.back()) &&
                          text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
    if (!has_form || !number.ok() || !std::isfinite(*number)) return std::nullopt;
    return *number;
  }

  absl::Status ParseNumber() {
    const std::optional<double> number = NumberOf(token_);
    if (!number.has_value()) return Expected("a number");
    Next();
    return Push({.op = Op::kNumber, .number = *number});
  }

  const std::string_view text_;
  size_t at_ = 0;  // of token_
  std::string_view token_;
  size_t stack_ = 0;
  Formula formula_;
};

absl::StatusOr<Formula> Formula::Parse(std::string_view text) {
  if (text.size() > kExpressionBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("expression: too long; expected at most {} bytes, got {}", kExpressionBytesMax,
                    text.size()));
  }
  return FormulaParser(text).Parse();
}

size_t Formula::OperandsOf(Op op) {
  if (op == Op::kNumber || op == Op::kVariable) return 0;
  if (op == Op::kChoose) return 3;
  return op == Op::kNegate || op == Op::kBitNot || op == Op::kNot ? 1 : 2;
}

double Formula::Apply(Op op, double a, double b) {
  switch (op) {
    case Op::kOrElse:
      return IsTrue(a) ? a : b;
    case Op::kOr:
      return IsTrue(a) || IsTrue(b) ? 1 : 0;
    case Op::kAnd:
      return IsTrue(a) && IsTrue(b) ? 1 : 0;
    case Op::kBitOr:
      return static_cast<double>(IntegerOf(a) | IntegerOf(b));
    case Op::kBitXor:
      return static_cast<double>(IntegerOf(a) ^ IntegerOf(b));
    case Op::kBitAnd:
      return static_cast<double>(IntegerOf(a) & IntegerOf(b));
    case Op::kEqual:
      return Compare(a, b) == 0 ? 1 : 0;
    case Op::kNotEqual:
      return Compare(a, b) != 0 ? 1 : 0;
    case Op::kLess:
      return Compare(a, b) < 0 ? 1 : 0;
    case Op::kGreater:
      return Compare(a, b) > 0 ? 1 : 0;
    case Op::kLessEqual:
      return Compare(a, b) <= 0 ? 1 : 0;
    case Op::kGreaterEqual:
      return Compare(a, b) >= 0 ? 1 : 0;
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kDivide:
      return DivideOrZero(a, b);
    case Op::kRemainder:
      return b == 0 ? 0 : std::fmod(a, b);
    case Op::kNegate:
      return -a;
    case Op::kBitNot:
      return static_cast<double>(~IntegerOf(a));
    case Op::kNot:
      return IsTrue(a) ? 0 : 1;
    case Op::kNumber:
    case Op::kVariable:
    case Op::kChoose:
      break;
  }
  HOURCELL_CHECK(false);
}

void Formula::ApplyToRows(Op op, size_t rows, double* a, const double* b, const double* c) {
  switch (op) {
    case Op::kChoose:
      for (size_t i = 0; i < rows; ++i)
        a[i] = IsTrue(a[i]) ? b[i] : c[i];
      return;
    // The most frequent ones, without a switch for each row.
    case Op::kAdd:
      for (size_t i = 0; i < rows; ++i)
        a[i] += b[i];
      return;
    case Op::kSubtract:
      for (size_t i = 0; i < rows; ++i)
        a[i] -= b[i];
      return;
    case Op::kMultiply:
      for (size_t i = 0; i < rows; ++i)
        a[i] *= b[i];
      return;
    default:
      for (size_t i = 0; i < rows; ++i)
        a[i] = Apply(op, a[i], b != nullptr ? b[i] : 0);
  }
}

std::vector<double> Formula::Evaluate(std::span<const std::vector<double>> columns,
                                      size_t rows) const {
  HOURCELL_CHECK(columns.size() == variables_.size());
  std::vector<double> result(rows);
  std::vector<double> tiles(stack_max_ * kTileRows);
  const auto tile = [&](size_t at) { return tiles.data() + at * kTileRows; };
  for (size_t begin = 0; begin < rows; begin += kTileRows) {
    const size_t count = std::min(kTileRows, rows - begin);
    size_t stack = 0;
    for (const Step& step : steps_) {
      const size_t operands = OperandsOf(step.op);
      stack -= operands;
      double* const to = tile(stack);
      if (step.op == Op::kNumber) {
        std::fill_n(to, count, step.number);
      } else if (step.op == Op::kVariable) {
        std::copy_n(columns[step.variable].begin() + static_cast<ptrdiff_t>(begin), count, to);
      } else {
        ApplyToRows(step.op, count, to, operands > 1 ? tile(stack + 1) : nullptr,
                    operands > 2 ? tile(stack + 2) : nullptr);
      }
      ++stack;
    }
    std::copy_n(tile(0), count, result.begin() + static_cast<ptrdiff_t>(begin));
  }
  return result;
}

}  // namespace hourcell
