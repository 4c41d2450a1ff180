// Formula: an arithmetic expression over variables, of /api/query/exp:
//
//   (a + b) / total * 100        a > 5 && b != 0 ? a : -b
//
// The language is the arithmetic part of OpenTSDB's JEXL. Operators, from low to high:
//
//   a ? b : c   a ?: b          right-associative; a ?: b is a ? a : b
//   || or    && and    |    ^    &
//   == eq  != ne    < lt  > gt  <= le  >= ge
//   + -    * / div  % mod       left-associative, as all of two operands
//   - ~ ! not                   unary; parentheses
//
// Variables are letters and digits, from a letter on. Numbers are doubles: 12, 0x1f, 017 (octal),
// 1.5, 2e3, with an optional suffix such as d. true is 1, false is 0.
//
// Values are doubles. A comparison is 1 or 0; NaN equals NaN, and is lower than every number. NaN
// and 0 are false. x / 0 and x % 0 are 0; % has the sign of its left side. Bitwise operators take
// both sides as integers of 64 bits, cut towards 0.
//
// Functions, strings, assignments and statements do not exist. Thread-compatible; Parse is pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

class Formula {
 public:
  // kInvalidArgument: ExpressionError (function_call.h); too long; too deep.
  static absl::StatusOr<Formula> Parse(std::string_view text);

  // Distinct, in the order in which the text has them.
  const std::vector<std::string>& variables() const { return variables_; }

  // The values of the formula, of `rows` values of each variable. `columns` has those of each
  // variable in the order of variables(). Uses bounded memory in addition to the result.
  std::vector<double> Evaluate(std::span<const std::vector<double>> columns, size_t rows) const;

 private:
  friend class FormulaParser;

  enum class Op : uint8_t {
    kNumber,
    kVariable,
    kChoose,  // of three values
    kOrElse,
    kOr,
    kAnd,
    kBitOr,
    kBitXor,
    kBitAnd,
    kEqual,
    kNotEqual,
    kLess,
    kGreater,
    kLessEqual,
    kGreaterEqual,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder,
    kNegate,
    kBitNot,
    kNot,
  };
  struct Step {
    Op op = Op::kNumber;
    size_t variable = 0;
    double number = 0;
  };
  static size_t OperandsOf(Op op);
  static double Apply(Op op, double a, double b);
  static void ApplyToRows(Op op, size_t rows, double* a, const double* b, const double* c);

  Formula() = default;

  std::vector<std::string> variables_;
  std::vector<Step> steps_;  // operands come before their operator
  size_t stack_max_ = 0;     // values that wait for their operator at a time
};

// True for a word that no variable may have as its name: and, or, size, ...
bool IsReservedWord(std::string_view word);

}  // namespace hourcell
