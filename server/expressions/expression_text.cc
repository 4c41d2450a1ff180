#include "server/expressions/expression_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/quoted_name.h"
#include "engine/expressions/formula.h"
#include "engine/expressions/function_call.h"
#include "server/query/query_echo.h"
#include "server/query/query_string.h"

// Why a second text of the formula, in which variables have blanks up to the length of their sub
// queries: the parser of formulas then reports the characters of the whole text.

namespace hourcell {
namespace {

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsDigitByte(char c) {
  return c >= '0' && c <= '9';
}

bool IsBlankOf(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

size_t EndOfWordAt(std::string_view text, size_t at) {
  while (at < text.size() && IsWordByte(text[at]))
    ++at;
  return at;
}

// The end of the sub query that begins at `at`. Braces in parentheses belong to a regular
// expression.
size_t EndOfSubQuery(std::string_view text, size_t at) {
  size_t parentheses = 0;
  size_t braces = 0;
  for (size_t i = at; i < text.size(); ++i) {
    if (const size_t end = text[i] == '"' ? SkipQuoted(text, i) : i; end != i) {
      i = end - 1;
      continue;
    }
    const char c = text[i];
    const bool is_inside = parentheses > 0 || braces > 0;
    if (!is_inside && (c == ')' || IsBlankOf(c))) return i;
    if (c == '(') {
      ++parentheses;
    } else if (c == ')' && parentheses > 0) {
      --parentheses;
    } else if (c == '{' && parentheses == 0) {
      ++braces;
    } else if (c == '}' && parentheses == 0 && braces > 0) {
      const char next = i + 1 < text.size() ? text[i + 1] : ' ';
      if (--braces == 0 && next != '{' && next != ':') return i + 1;
    }
  }
  return text.size();
}

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  absl::StatusOr<MetricExpression> Parse() {
    for (size_t at = 0; at < text_.size();) {
      const size_t end = EndOfWordAt(text_, at);
      const std::string_view word = text_.substr(at, end - at);
      const bool is_plain = word.empty() || IsDigitByte(word[0]) || IsReservedWord(word);
      if (!is_plain && (end == text_.size() || text_[end] != ':')) {
        return ExpressionError(at, "a sub query such as sum:cpu.user{host=*}",
                               QuoteForMessage(word));
      }
      if (is_plain) {
        const size_t size = std::max<size_t>(word.size(), 1);
        parsed_.formula += text_.substr(at, size);
        checked_ += text_.substr(at, size);
        at += size;
      } else {
        HOURCELL_ASSIGN_OR_RETURN(at, TakeSubQuery(at));
      }
    }
    HOURCELL_RETURN_IF_ERROR(Formula::Parse(checked_).status());
    parsed_.formula = WithoutBlanks(parsed_.formula);
    return std::move(parsed_);
  }

 private:
  // The end of the sub query at `at`, which becomes a variable.
  absl::StatusOr<size_t> TakeSubQuery(size_t at) {
    const size_t end = EndOfSubQuery(text_, at);
    absl::StatusOr<SubQuery> parsed = ParseSubQueryText(text_.substr(at, end - at));
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(fmt::format("expression: character {}: {}", at + 1,
                                                    std::string(parsed.status().message())));
    }
    const auto found = std::ranges::find(parsed_.inputs, *parsed);
    const auto input = static_cast<size_t>(found - parsed_.inputs.begin());
    if (found == parsed_.inputs.end()) {
      if (input == kExpressionInputsMax) {
        return ExpressionError(at, fmt::format("at most {} sub queries", kExpressionInputsMax),
                               "more");
      }
      parsed_.inputs.push_back(*std::move(parsed));
    }
    const std::string variable = ExpressionVariable(input);
    parsed_.formula += variable;
    if (end < text_.size() && IsWordByte(text_[end])) parsed_.formula.push_back(' ');
    checked_ += variable;
    checked_.append(end - at - variable.size(), ' ');
    return end;
  }

  // Each run of blanks as one, and none at the ends.
  static std::string WithoutBlanks(std::string_view text) {
    std::string tidy;
    for (const char c : text) {
      if (!IsBlankOf(c)) {
        tidy.push_back(c);
      } else if (!tidy.empty() && tidy.back() != ' ') {
        tidy.push_back(' ');
      }
    }
    if (tidy.ends_with(' ')) tidy.pop_back();
    return tidy;
  }

  const std::string_view text_;
  MetricExpression parsed_;
  std::string checked_;  // the formula, as long as the text
};

}  // namespace

absl::StatusOr<MetricExpression> ParseMetricExpression(std::string_view text,
                                                       std::optional<double> missing) {
  if (text.size() > kExpressionBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("expression: too long; expected at most {} bytes, got {}", kExpressionBytesMax,
                    text.size()));
  }
  HOURCELL_ASSIGN_OR_RETURN(MetricExpression expression, ExpressionParser(text).Parse());
  expression.missing = missing;
  HOURCELL_RETURN_IF_ERROR(CheckMetricExpression(expression));
  return expression;
}

std::string MetricExpressionText(const MetricExpression& expression) {
  const std::string_view formula = expression.formula;
  std::string text;
  for (size_t at = 0; at < formula.size();) {
    const size_t end = EndOfWordAt(formula, at);
    const std::string_view word = formula.substr(at, end - at);
    const size_t size = std::max<size_t>(word.size(), 1);
    const size_t input = word.size() == 1 ? static_cast<size_t>(word[0] - 'a') : SIZE_MAX;
    if (input < expression.inputs.size()) {
      text += SubQueryText(expression.inputs[input]);
      // Where the next sign would be read as a part of the sub query.
      const char next = end < formula.size() ? formula[end] : ' ';
      if (!IsBlankOf(next) && (text.back() != '}' || next == ':')) text.push_back(' ');
    } else {
      text += formula.substr(at, size);
    }
    at += size;
  }
  return text;
}

}  // namespace hourcell
