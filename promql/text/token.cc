#include "promql/text/token.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell::promql {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::string_view kBlanks = " \t\n\r";

struct Keyword {
  std::string_view word;
  TokenKind kind;
  BinaryOperator binary = BinaryOperator::kAdd;
  AggregateOperator aggregate = AggregateOperator::kSum;
};

constexpr Keyword AggregateWord(std::string_view word, AggregateOperator op) {
  return {.word = word, .kind = TokenKind::kAggregate, .aggregate = op};
}
constexpr Keyword BinaryWord(std::string_view word, BinaryOperator op) {
  return {.word = word, .kind = TokenKind::kBinary, .binary = op};
}

constexpr Keyword kKeywords[] = {
    BinaryWord("and", BinaryOperator::kAnd),
    BinaryWord("or", BinaryOperator::kOr),
    BinaryWord("unless", BinaryOperator::kUnless),
    BinaryWord("atan2", BinaryOperator::kAtan2),
    AggregateWord("sum", AggregateOperator::kSum),
    AggregateWord("avg", AggregateOperator::kAvg),
    AggregateWord("count", AggregateOperator::kCount),
    AggregateWord("min", AggregateOperator::kMin),
    AggregateWord("max", AggregateOperator::kMax),
    AggregateWord("group", AggregateOperator::kGroup),
    AggregateWord("stddev", AggregateOperator::kStddev),
    AggregateWord("stdvar", AggregateOperator::kStdvar),
    AggregateWord("topk", AggregateOperator::kTopk),
    AggregateWord("bottomk", AggregateOperator::kBottomk),
    AggregateWord("count_values", AggregateOperator::kCountValues),
    AggregateWord("quantile", AggregateOperator::kQuantile),
    {"offset", TokenKind::kOffset},
    {"by", TokenKind::kBy},
    {"without", TokenKind::kWithout},
    {"on", TokenKind::kOn},
    {"ignoring", TokenKind::kIgnoring},
    {"group_left", TokenKind::kGroupLeft},
    {"group_right", TokenKind::kGroupRight},
    {"bool", TokenKind::kBool},
    {"start", TokenKind::kStart},
    {"end", TokenKind::kEndWord},
    {"inf", TokenKind::kNumber},
    {"nan", TokenKind::kNumber},
};

bool HasCharacter(std::string_view characters, char c) {
  return characters.find(c) != std::string_view::npos;
}

bool IsDigit(uint32_t c) {
  return c >= '0' && c <= '9';
}

bool IsLetter(uint32_t c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsWordCharacter(uint32_t c) {
  return IsLetter(c) || IsDigit(c);
}

uint32_t DigitValue(uint32_t c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

// The digits of the escape \x, \u, ... and the largest number that it may have.
struct NumberEscape {
  size_t digits;
  uint32_t base;
  uint32_t max;
};
NumberEscape EscapeOf(uint32_t letter) {
  switch (letter) {
    case 'x':
      return {.digits = 2, .base = 16, .max = 0xff};
    case 'u':
      return {.digits = 4, .base = 16, .max = 0x10ffff};
    case 'U':
      return {.digits = 8, .base = 16, .max = 0x10ffff};
    default:
      return {.digits = 3, .base = 8, .max = 0xff};
  }
}

// Go's %.10q of a text of more than 10 bytes.
std::string QuotedStart(std::string_view text) {
  constexpr size_t kCharactersMax = 10;
  if (text.size() <= kCharactersMax) return Quoted(text);
  size_t size = 0;
  for (size_t i = 0; i < kCharactersMax && size < text.size(); ++i)
    size += FirstRune(text.substr(size)).size;
  return Quoted(text.substr(0, size)) + "...";
}

}  // namespace

std::string DescribeToken(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "end of input";
    case TokenKind::kIdentifier:
      return "identifier " + Quoted(token.text);
    case TokenKind::kMetricIdentifier:
      return "metric identifier " + Quoted(token.text);
    case TokenKind::kNumber:
      return "number " + QuotedStart(token.text);
    case TokenKind::kDuration:
      return "duration " + QuotedStart(token.text);
    case TokenKind::kString:
      return "string " + QuotedStart(token.text);
    case TokenKind::kMatchesRegexp:
    case TokenKind::kMatchesNotRegexp:
    case TokenKind::kAt:
    case TokenKind::kBinary:
      return fmt::format("<op:{}>", token.text);
    case TokenKind::kAggregate:
      return fmt::format("<aggr:{}>", token.text);
    case TokenKind::kBool:
    case TokenKind::kBy:
    case TokenKind::kGroupLeft:
    case TokenKind::kGroupRight:
    case TokenKind::kIgnoring:
    case TokenKind::kOffset:
    case TokenKind::kOn:
    case TokenKind::kWithout:
      return fmt::format("<{}>", token.text);
    default:
      return Quoted(token.text);
  }
}

Token Lexer::Emit(TokenKind kind) const {
  Token token;
  token.kind = kind;
  token.where = {begin_, at_};
  token.text = taken();
  return token;
}

Token Lexer::Emit(BinaryOperator op) const {
  Token token = Emit(TokenKind::kBinary);
  token.binary = op;
  return token;
}

Token Lexer::Error(std::string text) const {
  return {.kind = TokenKind::kError,
          .where = {begin_, text_.size()},
          .text = taken(),
          .error = std::move(text)};
}

Rune Lexer::Take() {
  const Rune rune = Peek();
  at_ += rune.size;
  return rune;
}

bool Lexer::Accept(std::string_view characters) {
  if (at_ >= text_.size() || !HasCharacter(characters, text_[at_])) return false;
  ++at_;
  return true;
}

bool Lexer::AcceptAll(std::string_view characters) {
  const size_t before = at_;
  while (Accept(characters)) {
  }
  return at_ > before;
}

void Lexer::SkipBlanks() {
  AcceptAll(kBlanks);
}

void Lexer::SkipBlanksAndComments() {
  SkipBlanks();
  while (Accept("#")) {
    at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    SkipBlanks();
  }
}

Token Lexer::Next() {
  if (after_left_bracket_) return AfterLeftBracket();
  SkipBlanksAndComments();
  begin_ = at_;
  return in_braces_ ? NextInBraces() : NextOutside();
}

Token Lexer::NextInBraces() {
  const Rune rune = Take();
  switch (rune.code) {
    case Rune::kNone:
      return Error("unexpected end of input inside braces");
    case ',':
      return Emit(TokenKind::kComma);
    case '"':
    case '\'':
    case '`':
      return String();
    case '=':
      return Emit(Accept("~") ? TokenKind::kMatchesRegexp : TokenKind::kAssign);
    case '!': {
      if (Accept("~")) return Emit(TokenKind::kMatchesNotRegexp);
      if (Accept("=")) return Emit(BinaryOperator::kNotEqual);
      return Error(
          fmt::format("unexpected character after '!' inside braces: {}", QuotedRune(Peek().code)));
    }
    case '{':
      return Error("unexpected left brace '{'");
    case '}':
      in_braces_ = false;
      return Emit(TokenKind::kRightBrace);
    default:
      break;
  }
  if (!IsLetter(rune.code)) {
    return Error(fmt::format("unexpected character inside braces: {}", QuotedRune(rune.code)));
  }
  while (IsWordCharacter(Peek().code))
    ++at_;
  return Emit(TokenKind::kIdentifier);
}

Token Lexer::NextOutside() {
  const Rune rune = Peek();
  if (rune.code == Rune::kNone) {
    if (parentheses_ > 0) return Error("unclosed left parenthesis");
    if (in_brackets_) return Error("unclosed left bracket");
    return Emit(TokenKind::kEnd);
  }
  const bool is_fraction = rune.code == '.' && IsDigit(FirstRune(text_.substr(at_ + 1)).code);
  if (IsDigit(rune.code) || is_fraction) return NumberOrDuration();
  if (IsLetter(rune.code) || rune.code == ':') return LetterOrColon();
  Take();
  switch (rune.code) {
    case '"':
    case '\'':
    case '`':
      return String();
    case ',':
      return Emit(TokenKind::kComma);
    case '@':
      return Emit(TokenKind::kAt);
    case '(':
    case ')':
    case '{':
    case '[':
    case ']':
      return Bracket(static_cast<char>(rune.code));
    default:
      break;
  }
  if (rune.code < 0x80 && HasCharacter("*/%+-^=!<>", static_cast<char>(rune.code)))
    return Operator(static_cast<char>(rune.code));
  return Error("unexpected character: " + QuotedRune(rune.code));
}

Token Lexer::Bracket(char c) {
  switch (c) {
    case '(':
      ++parentheses_;
      return Emit(TokenKind::kLeftParenthesis);
    case ')':
      if (parentheses_ == 0) {
        begin_ = at_;  // Prometheus' position is after it.
        return Error("unexpected right parenthesis ')'");
      }
      --parentheses_;
      return Emit(TokenKind::kRightParenthesis);
    case '{':
      in_braces_ = true;
      return Emit(TokenKind::kLeftBrace);
    case '[':
      if (in_brackets_) return Error("unexpected left bracket '['");
      in_brackets_ = true;
      has_colon_ = false;
      after_left_bracket_ = true;
      return Emit(TokenKind::kLeftBracket);
    default:
      if (!in_brackets_) return Error("unexpected right bracket ']'");
      in_brackets_ = false;
      return Emit(TokenKind::kRightBracket);
  }
}

Token Lexer::AfterLeftBracket() {
  after_left_bracket_ = false;
  SkipBlanks();
  begin_ = at_;
  if (ScanNumber()) return Error("missing unit character in duration");
  if (ScanDuration()) return Emit(TokenKind::kDuration);
  return Error("bad duration syntax: " + Quoted(taken()));
}

Token Lexer::Operator(char c) {
  switch (c) {
    case '*':
      return Emit(BinaryOperator::kMultiply);
    case '/':
      return Emit(BinaryOperator::kDivide);
    case '%':
      return Emit(BinaryOperator::kModulo);
    case '+':
      return Emit(BinaryOperator::kAdd);
    case '-':
      return Emit(BinaryOperator::kSubtract);
    case '^':
      return Emit(BinaryOperator::kPower);
    case '<':
      return Emit(Accept("=") ? BinaryOperator::kLessEqual : BinaryOperator::kLess);
    case '>':
      return Emit(Accept("=") ? BinaryOperator::kGreaterEqual : BinaryOperator::kGreater);
    case '=':
      if (Accept("=")) return Emit(BinaryOperator::kEqual);
      if (Peek().code == '~') return Error("unexpected character after '=': '~'");
      return Emit(TokenKind::kAssign);
    default:
      if (Accept("=")) return Emit(BinaryOperator::kNotEqual);
      return Error("unexpected character after '!': " + QuotedRune(Peek().code));
  }
}

// As in Prometheus, a letter in brackets is read as the colon.
Token Lexer::LetterOrColon() {
  if (!in_brackets_) return Word();
  const Rune rune = Take();
  if (has_colon_) return Error("unexpected colon " + QuotedRune(rune.code));
  has_colon_ = true;
  return Emit(TokenKind::kColon);
}

Token Lexer::Word() {
  while (IsWordCharacter(Peek().code) || Peek().code == ':')
    ++at_;
  const auto keyword = std::ranges::find(kKeywords, LowerCase(taken()), &Keyword::word);
  if (keyword == std::end(kKeywords)) {
    return Emit(HasCharacter(taken(), ':') ? TokenKind::kMetricIdentifier : TokenKind::kIdentifier);
  }
  Token token = Emit(keyword->kind);
  token.binary = keyword->binary;
  token.aggregate = keyword->aggregate;
  return token;
}

// After the opening quote.
Token Lexer::String() {
  const char quote = text_[at_ - 1];
  const bool is_raw = quote == '`';
  while (true) {
    const Rune rune = Take();
    if (rune.code == static_cast<unsigned char>(quote)) return Emit(TokenKind::kString);
    if (rune.code == Rune::kInvalid) return Error("invalid UTF-8 rune");
    if (rune.code == Rune::kNone || (rune.code == '\n' && !is_raw))
      return Error(is_raw ? "unterminated raw string" : "unterminated quoted string");
    if (rune.code != '\\' || is_raw) continue;
    if (std::string error = ScanEscape(quote); !error.empty()) return Error(std::move(error));
  }
}

// After the backslash. Returns the error, or an empty text.
std::string Lexer::ScanEscape(char quote) {
  const Rune letter = Take();
  const auto is_one_of = [&](std::string_view letters) {
    return letter.code < 0x80 && HasCharacter(letters, static_cast<char>(letter.code));
  };
  if (letter.code == Rune::kNone) return "escape sequence not terminated";
  if (letter.code == static_cast<unsigned char>(quote) || is_one_of("abfnrtv\\")) return "";
  if (!is_one_of("01234567xuU")) return "unknown escape sequence " + RuneNumber(letter.code);
  if (IsDigit(letter.code)) --at_;
  const NumberEscape escape = EscapeOf(letter.code);
  uint32_t number = 0;
  for (size_t i = 0; i < escape.digits; ++i) {
    const Rune digit = Take();
    if (digit.code == Rune::kNone) return "escape sequence not terminated";
    if (DigitValue(digit.code) >= escape.base)
      return fmt::format("illegal character {} in escape sequence", RuneNumber(digit.code));
    number = number * escape.base + DigitValue(digit.code);
  }
  const bool is_surrogate = number >= 0xd800 && number <= 0xdfff;
  return number > escape.max || is_surrogate ? "escape sequence is an invalid Unicode code point"
                                             : "";
}

Token Lexer::NumberOrDuration() {
  if (ScanNumber()) return Emit(TokenKind::kNumber);
  if (ScanDuration()) return Emit(TokenKind::kDuration);
  return Error("bad number or duration syntax: " + Quoted(taken()));
}

// True if a number ends here. It may be wrong, as 0x and 1e are.
bool Lexer::ScanNumber() {
  const bool is_hex = Accept("0") && Accept("xX");
  const std::string_view digits = is_hex ? kHexDigits : kDigits;
  AcceptAll(digits);
  if (Accept(".")) AcceptAll(digits);
  if (Accept("eE")) {
    Accept("+-");
    AcceptAll(kDigits);
  }
  return !IsWordCharacter(Peek().code);
}

// After a number that is followed by a letter. The duration may be wrong, as 1s1m is.
bool Lexer::ScanDuration() {
  if (!Accept("smhdwy")) return false;
  Accept("s");  // of ms
  while (AcceptAll(kDigits)) {
    if (!Accept("smhdw")) return false;
    Accept("s");
  }
  if (!IsWordCharacter(Peek().code)) return true;
  ++at_;  // The error shows the character that is wrong.
  return false;
}

}  // namespace hourcell::promql
