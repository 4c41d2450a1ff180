// Converts the matchers of a selector of PromQL to tag filters of m=.
//
// Pure; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query/query_spec.h"
#include "promql/label_matcher.h"

namespace hourcell {

// The metric of a selector, and its other matchers as filters, which do not group.
struct SelectorFilters {
  std::string metric;
  std::vector<TagFilterSpec> filters = {};
  // Tag keys that each series must have, because m= lets no series without them pass.
  std::vector<std::string> needed = {};
};

// kUnimplemented: `=` does not name the metric, or `m=` lacks a filter for a matcher.
absl::StatusOr<SelectorFilters> FiltersOfMatchers(std::span<const promql::LabelMatcher> matchers);

// True if a series that passes the matchers has the label.
bool RequiresLabel(std::span<const promql::LabelMatcher> matchers, std::string_view label);

}  // namespace hourcell
