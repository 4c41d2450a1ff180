#include "engine/query/metric_expression.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

// The first part of an input that only a query may have; empty: none.
std::string_view PartOfQueries(const SubQuery& input) {
  if (!input.tsuids.empty()) return "tsuids";
  if (!input.functions.empty()) return "a function of series";
  if (input.is_of_histograms()) return "percentiles";
  if (input.pre_aggregate || input.rollup_usage != RollupUsage::kNoFallback) return "rollup usage";
  if (input.explicit_tags) return "explicit_tags";
  if (input.downsample.has_value() && input.downsample->all) return "0all";
  if (input.downsample.has_value() && input.downsample->calendar) return "an interval by calendar";
  return {};
}

absl::Status CheckInput(const SubQuery& input, size_t index) {
  if (const std::string_view part = PartOfQueries(input); !part.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("input {}: {}; expected a metric with options of downsampling and rate, and "
                    "filters",
                    index + 1, part));
  }
  if (input.aggregator != Aggregator::kNone && GroupingKeys(input).empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "input {}: no grouping tag; expected one such as {}{{host=*}}", index + 1, input.metric));
  }
  for (const TagFilterSpec& filter : input.filters) {
    if (filter.filter.size() <= kExpressionFormulaBytesMax) continue;
    return absl::InvalidArgumentError(fmt::format(
        "input {}: filter of {} is too long; expected at most {} bytes, got {}", index + 1,
        QuoteForMessage(filter.tagk), kExpressionFormulaBytesMax, filter.filter.size()));
  }
  return absl::OkStatus();
}

std::string TextOfKeys(const SubQuery& input) {
  return input.aggregator == Aggregator::kNone
             ? "all tags (none)"
             : fmt::format("{}", fmt::join(GroupingKeys(input), ", "));
}

}  // namespace

std::vector<std::string> GroupingKeys(const SubQuery& input) {
  std::vector<std::string> keys;
  if (input.aggregator == Aggregator::kNone) return keys;
  for (const TagFilterSpec& filter : input.filters)
    if (filter.group_by && filter.type != FilterType::kNotKey) keys.push_back(filter.tagk);
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

absl::Status CheckMetricExpression(const MetricExpression& expression) {
  const size_t inputs = expression.inputs.size();
  if (inputs == 0 || inputs > kExpressionInputsMax) {
    return absl::InvalidArgumentError(fmt::format(
        "expression: expected 1 to {} sub queries, got {}", kExpressionInputsMax, inputs));
  }
  if (expression.missing.has_value() && !std::isfinite(*expression.missing)) {
    return absl::InvalidArgumentError("missing: expected a finite number");
  }
  for (size_t i = 0; i < inputs; ++i)
    HOURCELL_RETURN_IF_ERROR(CheckInput(expression.inputs[i], i));
  const SubQuery& first = expression.inputs[0];
  for (size_t i = 1; i < inputs; ++i) {
    const SubQuery& input = expression.inputs[i];
    const bool both_none =
        input.aggregator == Aggregator::kNone && first.aggregator == Aggregator::kNone;
    const bool no_none =
        input.aggregator != Aggregator::kNone && first.aggregator != Aggregator::kNone;
    if (both_none || (no_none && GroupingKeys(input) == GroupingKeys(first))) continue;
    return absl::InvalidArgumentError(
        fmt::format("input {}: expected the grouping keys of input 1, {}, got {}", i + 1,
                    TextOfKeys(first), TextOfKeys(input)));
  }
  return absl::OkStatus();
}

}  // namespace hourcell
