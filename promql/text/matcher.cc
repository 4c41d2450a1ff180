#include "promql/text/matcher.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <re2/re2.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell::promql {
namespace {

bool HasRegexp(const LabelMatcher& matcher) {
  return matcher.op == MatchOperator::kRegexp || matcher.op == MatchOperator::kNotRegexp;
}

std::string WholeValue(std::string_view regexp) {
  return fmt::format("^(?:{})$", regexp);
}

RE2::Options MatcherOptions() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

// The texts of Go's package regexp/syntax for the errors of RE2.
std::string_view RegexpErrorText(RE2::ErrorCode code) {
  switch (code) {
    case RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case RE2::ErrorBadCharClass:
      return "invalid character class";
    case RE2::ErrorBadCharRange:
      return "invalid character class range";
    case RE2::ErrorMissingBracket:
      return "missing closing ]";
    case RE2::ErrorMissingParen:
      return "missing closing )";
    case RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "expression too large";
  }
}

// True if the expression has \C outside \Q and \E, between which a backslash is itself.
bool HasByteEscape(std::string_view regexp) {
  while (true) {
    const size_t escape = regexp.find('\\');
    if (escape == std::string_view::npos || escape + 1 == regexp.size()) return false;
    const char letter = regexp[escape + 1];
    if (letter == 'C') return true;
    regexp.remove_prefix(escape + 2);
    if (letter == 'Q') regexp.remove_prefix(std::min(regexp.find("\\E"), regexp.size()));
  }
}

absl::Status CheckRegexp(std::string_view text) {
  const RE2 regexp(std::string(text), MatcherOptions());
  if (regexp.ok()) return absl::OkStatus();
  // RE2 does not always have a part of the expression to quote. Go then quotes all of it.
  const bool is_whole = regexp.error_arg().empty() ||
                        regexp.error_code() == RE2::ErrorMissingParen ||
                        regexp.error_code() == RE2::ErrorUnexpectedParen;
  return absl::InvalidArgumentError(fmt::format("error parsing regexp: {}: `{}`",
                                                RegexpErrorText(regexp.error_code()),
                                                is_whole ? text : regexp.error_arg()));
}

}  // namespace

absl::Status CheckMatcher(const LabelMatcher& matcher) {
  if (!HasRegexp(matcher)) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(CheckRegexp(WholeValue(matcher.value)));
  // "a)|(b" is an expression only inside the parentheses.
  HOURCELL_RETURN_IF_ERROR(CheckRegexp(matcher.value));
  if (!HasByteEscape(matcher.value)) return absl::OkStatus();
  return absl::InvalidArgumentError("error parsing regexp: invalid escape sequence: `\\C`");
}

bool MatchesEmptyValue(const LabelMatcher& matcher) {
  switch (matcher.op) {
    case MatchOperator::kEqual:
      return matcher.value.empty();
    case MatchOperator::kNotEqual:
      return !matcher.value.empty();
    default:
      break;
  }
  const RE2 regexp(WholeValue(matcher.value), MatcherOptions());
  HOURCELL_CHECK(regexp.ok());
  return RE2::PartialMatch("", regexp) == (matcher.op == MatchOperator::kRegexp);
}

}  // namespace hourcell::promql
