#include "server/translate/matcher_filters.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/text/quoted_name.h"
#include "promql/labels.h"
#include "promql/text/expression.h"
#include "promql/text/matcher.h"
#include "promql/text/quoting.h"

namespace hourcell {
namespace {

using promql::LabelMatcher;
using promql::MatchOperator;

constexpr std::string_view kSpecialInRegexp = ".+*?()[]{}^$";

// The values that a regular expression lists: a\.b|c. nullopt for other regular expressions.
std::optional<std::vector<std::string>> ValuesOfRegexp(std::string_view regexp) {
  std::vector<std::string> values(1);
  for (size_t i = 0; i < regexp.size(); ++i) {
    const char c = regexp[i];
    if (c == '|') {
      values.emplace_back();
    } else if (c == '\\') {
      // A letter or a digit after it has another meaning.
      if (i + 1 == regexp.size() || absl::ascii_isalnum(static_cast<unsigned char>(regexp[i + 1])))
        return std::nullopt;
      values.back().push_back(regexp[++i]);
    } else if (kSpecialInRegexp.find(c) != std::string_view::npos) {
      return std::nullopt;
    } else {
      values.back().push_back(c);
    }
  }
  if (std::ranges::any_of(values, &std::string::empty)) return std::nullopt;
  return values;
}

std::string FilterOfValues(std::span<const std::string> values) {
  std::string text;
  for (const std::string& value : values) {
    if (!text.empty()) text.push_back('|');
    const bool is_plain = std::ranges::all_of(value, [](char c) {
      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
    });
    if (is_plain) {
      text += value;
    } else {
      AppendQuoted(value, &text);
    }
  }
  return text;
}

// The regular expression that m= finds anywhere in a value. `regexp` matches the whole value.
std::string FoundRegexp(std::string_view regexp) {
  constexpr std::string_view kBefore = ".*(?:";
  constexpr std::string_view kAfter = ").*";
  if (regexp.size() > kBefore.size() + kAfter.size() && regexp.starts_with(kBefore) &&
      regexp.ends_with(kAfter)) {
    const std::string_view inner =
        regexp.substr(kBefore.size(), regexp.size() - kBefore.size() - kAfter.size());
    if (inner.find_first_of("()[]\\") == std::string_view::npos) return std::string(inner);
  }
  return fmt::format("^(?:{})$", regexp);
}

std::string MatcherText(const LabelMatcher& matcher) {
  return matcher.name + std::string(promql::MatchOperatorText(matcher.op)) +
         promql::Quoted(matcher.value);
}

absl::Status NotAFilter(const LabelMatcher& matcher,
                        std::string_view why,
                        std::string_view wanted) {
  return absl::UnimplementedError(fmt::format("m= cannot express {}, because {}; expected {}",
                                              MatcherText(matcher), why, wanted));
}

absl::StatusOr<std::string> MetricOf(std::span<const LabelMatcher> matchers) {
  std::optional<std::string> metric;
  for (const LabelMatcher& matcher : matchers) {
    if (matcher.name != promql::kMetricName) continue;
    if (metric.has_value() || matcher.op != MatchOperator::kEqual || matcher.value.empty())
      return NotAFilter(matcher, "a query reads one metric, by its name",
                        "one matcher __name__=\"...\", and a query for each metric");
    metric = matcher.value;
  }
  if (metric.has_value()) return *std::move(metric);
  return absl::UnimplementedError(
      "m= cannot express a selector without a metric, because a query reads one metric; expected "
      "a name before the braces, such as m{a=\"b\"}");
}

class FilterReader {
 public:
  explicit FilterReader(std::span<const LabelMatcher> matchers) : matchers_(matchers) {}

  absl::StatusOr<SelectorFilters> Read() {
    HOURCELL_ASSIGN_OR_RETURN(read_.metric, MetricOf(matchers_));
    for (const LabelMatcher& matcher : matchers_) {
      if (matcher.name == promql::kMetricName) continue;
      HOURCELL_RETURN_IF_ERROR(matcher.op == MatchOperator::kEqual ||
                                       matcher.op == MatchOperator::kNotEqual
                                   ? ReadValue(matcher)
                                   : ReadRegexp(matcher));
    }
    AddPresences();
    return std::move(read_);
  }

 private:
  absl::Status ReadValue(const LabelMatcher& matcher) {
    const bool is_equal = matcher.op == MatchOperator::kEqual;
    if (!matcher.value.empty()) {
      AddValues(matcher, {&matcher.value, 1}, is_equal);
    } else if (is_equal) {
      Add(matcher, FilterType::kNotKey, "");
    }
    return absl::OkStatus();
  }

  absl::Status ReadRegexp(const LabelMatcher& matcher) {
    const bool is_equal = matcher.op == MatchOperator::kRegexp;
    const auto values = ValuesOfRegexp(matcher.value);
    if (values.has_value()) {
      AddValues(matcher, *values, is_equal);
      return absl::OkStatus();
    }
    if (matcher.value == ".*" && is_equal) return absl::OkStatus();
    if (matcher.value == ".+" && is_equal) return absl::OkStatus();  // AddPresences adds its filter
    if (!is_equal) {
      return NotAFilter(matcher, "no filter excludes a regular expression",
                        "a list of values, such as a!~\"b|c\"");
    }
    if (!RequiresLabel(matchers_, matcher.name)) {
      return NotAFilter(matcher, "it matches series without the tag",
                        fmt::format("{}!=\"\" beside it", matcher.name));
    }
    Add(matcher, FilterType::kRegexp, FoundRegexp(matcher.value));
    return absl::OkStatus();
  }

  void AddValues(const LabelMatcher& matcher, std::span<const std::string> values, bool is_equal) {
    Add(matcher, is_equal ? FilterType::kLiteralOr : FilterType::kNotLiteralOr,
        FilterOfValues(values));
    if (!is_equal && !RequiresLabel(matchers_, matcher.name)) read_.needed.push_back(matcher.name);
  }

  void Add(const LabelMatcher& matcher, FilterType type, std::string filter) {
    read_.filters.push_back({.tagk = matcher.name, .type = type, .filter = std::move(filter)});
  }

  // A filter of any other type than not_key lets no series without the key pass.
  void AddPresences() {
    for (const LabelMatcher& matcher : matchers_) {
      if (matcher.name == promql::kMetricName || promql::MatchesEmptyValue(matcher)) continue;
      const bool has_filter = std::ranges::any_of(read_.filters, [&](const TagFilterSpec& filter) {
        return filter.tagk == matcher.name && filter.type != FilterType::kNotKey;
      });
      if (!has_filter) Add(matcher, FilterType::kWildcard, "*");
    }
  }

  const std::span<const LabelMatcher> matchers_;
  SelectorFilters read_;
};

}  // namespace

absl::StatusOr<SelectorFilters> FiltersOfMatchers(std::span<const LabelMatcher> matchers) {
  return FilterReader(matchers).Read();
}

bool RequiresLabel(std::span<const LabelMatcher> matchers, std::string_view label) {
  return std::ranges::any_of(matchers, [label](const LabelMatcher& matcher) {
    return matcher.name == label && !promql::MatchesEmptyValue(matcher);
  });
}

}  // namespace hourcell
