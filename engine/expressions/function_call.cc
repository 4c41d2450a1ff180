#include "engine/expressions/function_call.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/quoted_name.h"

// Why a word before '(' is not always a call: a sub query may begin with a function of its own, as
// top(10,max):sum:cpu does. Its ')' is followed by a ':', that of a call never is.

namespace hourcell {
namespace {

bool IsBlankByte(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The end of the raw argument at `at`: the next ',' or ')' that no bracket encloses, or the end of
// the text. Quoted names count as one.
size_t EndOfRaw(std::string_view text, size_t at) {
  size_t depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (const size_t end = c == '"' ? SkipQuoted(text, i) : i; end != i) {
      i = end - 1;
    } else if (c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (depth == 0 && (c == ',' || c == ')')) {
      return i;
    } else if (depth > 0 && (c == ')' || c == '}' || c == ']')) {
      --depth;
    }
  }
  return text.size();
}

class CallParser {
 public:
  explicit CallParser(std::string_view text) : text_(text) {}

  absl::StatusOr<FunctionCall> ParseAll() {
    SkipBlanks();
    HOURCELL_ASSIGN_OR_RETURN(FunctionCall call, ParseCall(/*depth=*/1));
    SkipBlanks();
    if (at_ < text_.size()) return Expected("the end");
    return call;
  }

 private:
  absl::Status Expected(std::string_view want) const {
    return ExpressionError(at_, want,
                           at_ < text_.size() ? QuoteForMessage(text_.substr(at_)) : "the end");
  }

  void SkipBlanks() {
    while (at_ < text_.size() && IsBlankByte(text_[at_]))
      ++at_;
  }

  // The end of the word at `at`.
  size_t EndOfWord(size_t at) const {
    while (at < text_.size() && IsWordByte(text_[at]))
      ++at;
    return at;
  }

  size_t PastBlanks(size_t at) const {
    while (at < text_.size() && IsBlankByte(text_[at]))
      ++at;
    return at;
  }

  // True for a word with parentheses without a ':' after them.
  bool IsAtCall() const {
    const size_t word_end = EndOfWord(at_);
    const size_t open = PastBlanks(word_end);
    if (word_end == at_ || open == text_.size() || text_[open] != '(') return false;
    const size_t close = EndOfArguments(open + 1);
    if (close == text_.size()) return true;
    const size_t next = PastBlanks(close + 1);
    return next == text_.size() || text_[next] != ':';
  }

  // The ')' after the arguments at `at`, or the end of the text.
  size_t EndOfArguments(size_t at) const {
    while (true) {
      at = PastBlanks(at);
      if (at < text_.size() && (text_[at] == '\'' || text_[at] == '"')) {
        const size_t close = text_.find(text_[at], at + 1);
        if (close == std::string_view::npos) return text_.size();
        at = close + 1;
      }
      at = EndOfRaw(text_, at);
      if (at == text_.size() || text_[at] == ')') return at;
      ++at;
    }
  }

  absl::StatusOr<FunctionCall> ParseCall(size_t depth) {
    if (depth > kExpressionDepthMax) {
      return ExpressionError(
          at_, fmt::format("at most {} calls in each other", kExpressionDepthMax), "more");
    }
    FunctionCall call{.position = at_};
    const size_t word_end = EndOfWord(at_);
    if (word_end == at_) return Expected("the name of a function");
    call.text = text_.substr(at_, word_end - at_);
    at_ = word_end;
    SkipBlanks();
    if (at_ == text_.size() || text_[at_] != '(') return Expected("'('");
    do {
      ++at_;
      SkipBlanks();
      HOURCELL_ASSIGN_OR_RETURN(FunctionCall argument, ParseArgument(depth));
      call.arguments.push_back(std::move(argument));
      SkipBlanks();
    } while (at_ < text_.size() && text_[at_] == ',');
    if (at_ == text_.size() || text_[at_] != ')') return Expected("',' or ')'");
    ++at_;
    return call;
  }

  absl::StatusOr<FunctionCall> ParseArgument(size_t depth) {
    if (at_ == text_.size()) return Expected("an argument");
    if (text_[at_] == '\'' || text_[at_] == '"') return ParseQuotedText();
    if (IsAtCall()) return ParseCall(depth + 1);
    const size_t end = EndOfRaw(text_, at_);
    std::string_view raw = text_.substr(at_, end - at_);
    while (!raw.empty() && IsBlankByte(raw.back()))
      raw.remove_suffix(1);
    if (raw.empty()) return Expected("an argument");
    const bool is_sub_query = FindOutsideQuotes(raw, ':') != std::string_view::npos;
    if (!is_sub_query && std::ranges::any_of(raw, &IsBlankByte)) {
      return ExpressionError(at_, "quotes around a text with blanks", QuoteForMessage(raw));
    }
    FunctionCall argument{
        .kind = is_sub_query ? FunctionCall::Kind::kSubQuery : FunctionCall::Kind::kText,
        .text = std::string(raw),
        .position = at_};
    at_ = end;
    return argument;
  }

  absl::StatusOr<FunctionCall> ParseQuotedText() {
    const size_t close = text_.find(text_[at_], at_ + 1);
    if (close == std::string_view::npos) return Expected("a closing quote");
    FunctionCall argument{.kind = FunctionCall::Kind::kText,
                          .text = std::string(text_.substr(at_, close + 1 - at_)),
                          .position = at_};
    at_ = close + 1;
    return argument;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::Status ExpressionError(size_t position, std::string_view want, std::string_view got) {
  return absl::InvalidArgumentError(
      fmt::format("expression: character {}: expected {}, got {}", position + 1, want, got));
}

absl::StatusOr<FunctionCall> ParseFunctionCall(std::string_view text) {
  if (text.size() > kExpressionBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("expression: too long; expected at most {} bytes, got {}", kExpressionBytesMax,
                    text.size()));
  }
  return CallParser(text).ParseAll();
}

}  // namespace hourcell
