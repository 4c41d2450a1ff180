#include "engine/query/query_spec.h"

#include <algorithm>
#include <array>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/query_time.h"

namespace hourcell {
namespace {

// In the order of the enums.
constexpr std::array<std::string_view, 7> kFilterTypeNames = {
    "literal_or", "iliteral_or", "not_literal_or", "not_iliteral_or",
    "wildcard",   "iwildcard",   "regexp"};
constexpr std::array<std::string_view, 10> kAggregatorNames = {
    "sum", "min", "max", "avg", "count", "dev", "none", "zimsum", "mimmin", "mimmax"};
constexpr std::array<std::string_view, 4> kFillPolicyNames = {"none", "nan", "null", "zero"};

std::string Lower(std::string_view text) {
  std::string lower(text);
  absl::AsciiStrToLower(&lower);
  return lower;
}

// Parts between '-'; like Java's split without the empty ones at the end.
std::vector<std::string_view> SplitAtDashes(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t dash = text.find('-');
    parts.push_back(text.substr(0, dash));
    if (dash == std::string_view::npos) break;
    text.remove_prefix(dash + 1);
  }
  while (!parts.empty() && parts.back().empty())
    parts.pop_back();
  return parts;
}

bool IsAll(std::string_view interval) {
  return interval.ends_with("all") &&
         interval.substr(0, interval.size() - 3).find_first_not_of("0123456789") ==
             std::string_view::npos;
}

absl::StatusOr<FillPolicy> ParseFillPolicy(std::string_view name) {
  const auto found = std::find(kFillPolicyNames.begin(), kFillPolicyNames.end(), Lower(name));
  if (found == kFillPolicyNames.end()) {
    return absl::InvalidArgumentError(fmt::format("Unrecognized fill policy: {}", name));
  }
  return static_cast<FillPolicy>(found - kFillPolicyNames.begin());
}

absl::StatusOr<Aggregator> ParseDownsamplingFunction(std::string_view name) {
  const auto function = ParseAggregator(name);
  if (!function.ok()) {
    return absl::InvalidArgumentError(fmt::format("No such downsampling function: {}", name));
  }
  if (*function == Aggregator::kNone) {
    return absl::InvalidArgumentError("cannot use the NONE aggregator for downsampling");
  }
  return *function;
}

// The text between the parentheses of "type(text)".
absl::StatusOr<std::string_view> TextInParentheses(std::string_view filter, size_t open) {
  if (!filter.ends_with(')')) {
    return absl::InvalidArgumentError(
        fmt::format("filter {}: no ')' at the end; want type(text)", QuoteForMessage(filter)));
  }
  const std::string_view inside = filter.substr(open + 1, filter.size() - open - 2);
  if (inside.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "filter {}: nothing between the parentheses; want type(text)", QuoteForMessage(filter)));
  }
  return inside;
}

}  // namespace

std::string_view FilterTypeName(FilterType type) {
  return kFilterTypeNames[static_cast<size_t>(type)];
}

absl::StatusOr<FilterType> ParseFilterType(std::string_view name) {
  const auto found = std::find(kFilterTypeNames.begin(), kFilterTypeNames.end(), Lower(name));
  if (found == kFilterTypeNames.end()) {
    return absl::InvalidArgumentError(
        fmt::format("Could not find a tag value filter of the type: {}", name));
  }
  return static_cast<FilterType>(found - kFilterTypeNames.begin());
}

absl::StatusOr<TagFilterSpec> ParseTagValueFilter(std::string_view tagk,
                                                  std::string_view text,
                                                  bool group_by) {
  if (tagk.empty() || text.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("filter: tag key or value is empty; got {}={}; want both",
                    QuoteForMessage(tagk), QuoteForMessage(text)));
  }
  TagFilterSpec spec{.tagk = std::string(tagk), .filter = std::string(text), .group_by = group_by};
  if (text == "*") {
    spec.type = FilterType::kWildcard;
  } else if (const size_t open = text.find('('); open != std::string_view::npos) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string_view inside, TextInParentheses(text, open));
    HOURCELL_ASSIGN_OR_RETURN(spec.type, ParseFilterType(text.substr(0, open)));
    spec.filter = std::string(inside);
  } else if (text.find('*') != std::string_view::npos) {
    spec.type = FilterType::kIWildcard;
  }
  return spec;
}

std::string_view AggregatorName(Aggregator aggregator) {
  return kAggregatorNames[static_cast<size_t>(aggregator)];
}

absl::StatusOr<Aggregator> ParseAggregator(std::string_view name) {
  const auto found = std::find(kAggregatorNames.begin(), kAggregatorNames.end(), name);
  if (found == kAggregatorNames.end()) {
    return absl::InvalidArgumentError(fmt::format("No such aggregation function: {}", name));
  }
  return static_cast<Aggregator>(found - kAggregatorNames.begin());
}

std::vector<std::string_view> AggregatorNames() {
  return {kAggregatorNames.begin(), kAggregatorNames.end()};
}

absl::StatusOr<DownsampleSpec> ParseDownsampleSpec(std::string_view text) {
  const std::vector<std::string_view> parts = SplitAtDashes(text);
  if (parts.size() < 2) {
    return absl::InvalidArgumentError(fmt::format(
        "Invalid downsampling specifier '{}': must provide at least interval and function", text));
  }
  if (parts.size() > 3) {
    return absl::InvalidArgumentError(
        fmt::format("Invalid downsampling specifier '{}': must consist of interval, function, and "
                    "optional fill policy",
                    text));
  }
  DownsampleSpec spec;
  std::string_view interval = parts[0];
  spec.all = IsAll(interval);
  const bool is_calendar = !spec.all && interval.ends_with('c');
  if (is_calendar) interval.remove_suffix(1);
  if (!spec.all) {
    HOURCELL_ASSIGN_OR_RETURN(spec.interval_ms, ParseDuration(interval));
  }
  HOURCELL_ASSIGN_OR_RETURN(spec.function, ParseDownsamplingFunction(parts[1]));
  if (parts.size() == 3) {
    HOURCELL_ASSIGN_OR_RETURN(spec.fill, ParseFillPolicy(parts[2]));
  }
  if (is_calendar) {
    return absl::UnimplementedError(
        "calendar downsampling is not available yet; want a fixed interval such as 1d");
  }
  return spec;
}

}  // namespace hourcell
