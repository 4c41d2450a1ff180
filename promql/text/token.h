// The tokens of a query, and the lexer that reads them.
//
// The lexer knows braces and brackets: the words in {} are labels and not keywords, a duration
// follows each [, and the end of the text is an error in any of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "promql/text/expression.h"
#include "promql/text/quoting.h"

namespace hourcell::promql {

enum class TokenKind : uint8_t {
  kEnd,    // of the text
  kError,  // Token::error
  kIdentifier,
  kMetricIdentifier,  // with a ':'
  kNumber,
  kDuration,
  kString,
  kLeftParenthesis,
  kRightParenthesis,
  kLeftBrace,
  kRightBrace,
  kLeftBracket,
  kRightBracket,
  kComma,
  kColon,
  kAssign,            // =
  kMatchesRegexp,     // =~
  kMatchesNotRegexp,  // !~
  kAt,
  kBinary,     // Token::binary
  kAggregate,  // Token::aggregate
  kBool,
  kBy,
  kGroupLeft,
  kGroupRight,
  kIgnoring,
  kOffset,
  kOn,
  kWithout,
  kStart,
  kEndWord,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  TextRange where;
  std::string_view text;  // of the query, as written
  BinaryOperator binary = BinaryOperator::kAdd;
  AggregateOperator aggregate = AggregateOperator::kSum;
  std::string error;

  bool is(BinaryOperator op) const { return kind == TokenKind::kBinary && binary == op; }
};

// The token in an error, as Prometheus names it: `identifier "a"`, `<by>`, `<op:+>`, `")"`.
std::string DescribeToken(const Token& token);

// Borrows the text. Thread-compatible.
class Lexer final {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // At the end, kEnd again and again. Not to be called after kError.
  Token Next();

 private:
  Token NextInBraces();
  Token NextOutside();
  Token Bracket(char c);
  Token AfterLeftBracket();
  Token Operator(char c);
  Token LetterOrColon();
  Token Word();
  Token String();
  Token NumberOrDuration();
  bool ScanNumber();
  bool ScanDuration();
  std::string ScanEscape(char quote);

  Rune Peek() const { return FirstRune(text_.substr(at_)); }
  Rune Take();
  bool Accept(std::string_view characters);
  bool AcceptAll(std::string_view characters);
  void SkipBlanks();
  void SkipBlanksAndComments();

  Token Emit(TokenKind kind) const;
  Token Emit(BinaryOperator op) const;
  Token Error(std::string text) const;
  std::string_view taken() const { return text_.substr(begin_, at_ - begin_); }

  std::string_view text_;
  size_t begin_ = 0;        // of the token
  size_t at_ = 0;           // after the bytes that are read
  size_t parentheses_ = 0;  // that are open
  bool in_braces_ = false;
  bool in_brackets_ = false;
  bool after_left_bracket_ = false;
  bool has_colon_ = false;  // in the open bracket
};

}  // namespace hourcell::promql
