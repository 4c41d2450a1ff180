// Names that versions of Prometheus after 2.42 added to PromQL. An error with the version
// saves its reader the search for a spelling mistake.

#pragma once

#include <string>
#include <string_view>

namespace hourcell::promql {

// A function, an aggregation or a modifier in the place of a function: info, limitk, fill.
bool IsLaterFunction(std::string_view name);
bool IsLaterAggregation(std::string_view name);  // limitk, limit_ratio
// A modifier after a selector: anchored, smoothed.
bool IsLaterModifier(std::string_view name);

// "info is not part of the language of Prometheus 2.42"
std::string LaterLanguageText(std::string_view subject);

}  // namespace hourcell::promql
