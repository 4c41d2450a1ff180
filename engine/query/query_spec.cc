#include "engine/query/query_spec.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <absl/container/inlined_vector.h>
#include <absl/strings/match.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "codec/text/quoted_name.h"
#include "engine/query/query_time.h"

namespace hourcell {
namespace {

// In the order of the enums.
constexpr std::array<std::string_view, 8> kFilterTypeNames = {
    "literal_or", "iliteral_or", "not_literal_or", "not_iliteral_or",
    "wildcard",   "iwildcard",   "regexp",         "not_key"};
constexpr std::array<std::string_view, 4> kFillPolicyNames = {"none", "nan", "null", "zero"};

// A downsampling has three.
using DashedParts = absl::InlinedVector<std::string_view, 4>;

// The parts between '-'; like Java's split without the empty ones at the end.
DashedParts SplitAtDashes(std::string_view text) {
  DashedParts parts;
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

// Sets the fill policy of `spec` to `name`, other than scalar(x).
absl::Status SetFillPolicy(std::string_view name, DownsampleSpec* spec) {
  const std::string lower = LowerCase(name);
  if (lower == "scalar") {
    return absl::InvalidArgumentError(
        fmt::format("fill policy {}: no number; expected scalar(<number>)", name));
  }
  const auto found = std::find(kFillPolicyNames.begin(), kFillPolicyNames.end(), lower);
  if (found == kFillPolicyNames.end()) {
    return absl::InvalidArgumentError(fmt::format("Unrecognized fill policy: {}", name));
  }
  spec->fill = static_cast<FillPolicy>(found - kFillPolicyNames.begin());
  return absl::OkStatus();
}

// If `text` ends with "-scalar(x)", takes it off and sets the fill policy to it. Its number may
// contain a '-'.
absl::Status TakeScalarFill(std::string_view* text, DownsampleSpec* spec) {
  constexpr std::string_view kOpen = "-scalar(";
  const size_t at = LowerCase(*text).find(kOpen);
  if (at == std::string_view::npos) return absl::OkStatus();
  std::string_view number = text->substr(at + kOpen.size());
  const bool is_closed = number.ends_with(')');
  if (is_closed) number.remove_suffix(1);
  const Parsed<double> value = ParseDouble(number);
  if (!is_closed || !value.ok() || !std::isfinite(*value)) {
    return absl::InvalidArgumentError(
        fmt::format("fill policy {}: expected scalar(<number>), got {}", text->substr(at + 1),
                    QuoteForMessage(number)));
  }
  spec->fill = FillPolicy::kZero;
  spec->fill_value = *value;
  text->remove_suffix(text->size() - at);
  return absl::OkStatus();
}

// Parses "1h", "1hc" or "0all".
absl::Status ParseInterval(std::string_view text, DownsampleSpec* spec) {
  spec->all = IsAll(text);
  if (spec->all) return absl::OkStatus();
  spec->calendar = text.ends_with('c');
  if (spec->calendar) text.remove_suffix(1);
  HOURCELL_ASSIGN_OR_RETURN(const Duration duration, ParseDurationText(text));
  spec->interval_ms = duration.ms;
  spec->count = duration.count;
  spec->unit = duration.unit;
  return absl::OkStatus();
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

// The text between the parentheses of "type(text)"; may be empty.
absl::StatusOr<std::string_view> TextInParentheses(std::string_view filter, size_t open) {
  if (!filter.ends_with(')')) {
    return absl::InvalidArgumentError(
        fmt::format("filter {}: no ')' at the end; expected type(text)", QuoteForMessage(filter)));
  }
  return filter.substr(open + 1, filter.size() - open - 2);
}

}  // namespace

std::string_view FilterTypeName(FilterType type) {
  return kFilterTypeNames[static_cast<size_t>(type)];
}

absl::StatusOr<FilterType> ParseFilterType(std::string_view name) {
  const auto found = std::find(kFilterTypeNames.begin(), kFilterTypeNames.end(), LowerCase(name));
  if (found == kFilterTypeNames.end()) {
    return absl::InvalidArgumentError(
        fmt::format("Could not find a tag value filter of the type: {}", name));
  }
  return static_cast<FilterType>(found - kFilterTypeNames.begin());
}

namespace {

// True for a quoted name, or several names between bars, the first one quoted.
bool IsQuotedList(std::string_view text) {
  const size_t quoted = TakeQuoted(text, nullptr);
  return quoted > 0 && (quoted == text.size() || text[quoted] == '|');
}

}  // namespace

absl::StatusOr<TagFilterSpec> ParseTagValueFilter(std::string_view tagk,
                                                  std::string_view text,
                                                  bool group_by) {
  if (tagk.empty() || text.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("filter: tag key or value is empty; expected both, got {}={}",
                    QuoteForMessage(tagk), QuoteForMessage(text)));
  }
  TagFilterSpec spec{.tagk = std::string(tagk), .filter = std::string(text), .group_by = group_by};
  if (IsQuotedList(text)) return spec;
  if (text == "*") {
    spec.type = FilterType::kWildcard;
  } else if (const size_t open = text.find('('); open != std::string_view::npos) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string_view inside, TextInParentheses(text, open));
    HOURCELL_ASSIGN_OR_RETURN(spec.type, ParseFilterType(text.substr(0, open)));
    if (inside.empty() != (spec.type == FilterType::kNotKey)) {
      return absl::InvalidArgumentError(
          fmt::format("filter {}: expected {} between the parentheses", QuoteForMessage(text),
                      inside.empty() ? "text" : "nothing"));
    }
    spec.filter = std::string(inside);
    if (spec.type == FilterType::kNotKey) spec.group_by = false;
  } else if (text.find('*') != std::string_view::npos) {
    spec.type = FilterType::kIWildcard;
  }
  return spec;
}

bool operator==(const DownsampleSpec& a, const DownsampleSpec& b) {
  if (a.interval_ms != b.interval_ms || a.all != b.all || a.function != b.function ||
      a.fill != b.fill || a.fill_value != b.fill_value || a.calendar != b.calendar) {
    return false;
  }
  return !a.calendar || (a.count == b.count && a.unit == b.unit && a.timezone == b.timezone);
}

absl::StatusOr<DownsampleSpec> ParseDownsampleSpec(std::string_view text) {
  DownsampleSpec spec;
  std::string_view rest = text;
  HOURCELL_RETURN_IF_ERROR(TakeScalarFill(&rest, &spec));
  const size_t parts_max = rest.size() == text.size() ? 3 : 2;
  const DashedParts parts = SplitAtDashes(rest);
  if (parts.size() < 2) {
    return absl::InvalidArgumentError(fmt::format(
        "Invalid downsampling specifier '{}': must provide at least interval and function", text));
  }
  if (parts.size() > parts_max) {
    return absl::InvalidArgumentError(
        fmt::format("Invalid downsampling specifier '{}': must consist of interval, function, and "
                    "optional fill policy",
                    text));
  }
  HOURCELL_RETURN_IF_ERROR(ParseInterval(parts[0], &spec));
  HOURCELL_ASSIGN_OR_RETURN(spec.function, ParseDownsamplingFunction(parts[1]));
  if (parts.size() == 3) HOURCELL_RETURN_IF_ERROR(SetFillPolicy(parts[2], &spec));
  return spec;
}

std::string_view ReadMethodName(ReadMethod method) {
  switch (method) {
    case ReadMethod::kCheapest:
      return "cheapest";
    case ReadMethod::kPointReads:
      return "point reads";
    case ReadMethod::kSkipScan:
      return "skip scan";
    case ReadMethod::kLinearScan:
      return "linear scan";
  }
  HOURCELL_CHECK(false);
}

}  // namespace hourcell
