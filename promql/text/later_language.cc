#include "promql/text/later_language.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace hourcell::promql {
namespace {

constexpr std::string_view kLaterAggregations[] = {"limitk", "limit_ratio"};
constexpr std::string_view kLaterModifiers[] = {"anchored", "smoothed"};
constexpr std::string_view kLaterFunctions[] = {
    "double_exponential_smoothing",
    "end",
    "fill",
    "fill_left",
    "fill_right",
    "first_over_time",
    "histogram_avg",
    "histogram_quantiles",
    "histogram_stddev",
    "histogram_stdvar",
    "info",
    "mad_over_time",
    "max_of",
    "min_of",
    "range",
    "sort_by_label",
    "sort_by_label_desc",
    "start",
    "step",
    "ts_of_first_over_time",
    "ts_of_last_over_time",
    "ts_of_max_over_time",
    "ts_of_min_over_time",
};

bool Has(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace

bool IsLaterFunction(std::string_view name) {
  return Has(kLaterFunctions, name) || IsLaterAggregation(name);
}

bool IsLaterAggregation(std::string_view name) {
  return Has(kLaterAggregations, name);
}

bool IsLaterModifier(std::string_view name) {
  return Has(kLaterModifiers, name);
}

std::string LaterLanguageText(std::string_view subject) {
  return fmt::format("{} is not part of the language of Prometheus 2.42", subject);
}

}  // namespace hourcell::promql
