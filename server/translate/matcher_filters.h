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

// The filters of a selector, without the metric; none of them groups.
struct SelectorFilters {
  std::string metric;
  std::vector<TagFilterSpec> filters = {};
  // Tag keys that each series must have, because m= lets no series without them pass.
  std::vector<std::string> needed = {};
};

// kUnimplemented: the metric is not named by `=`, or a matcher has no filter.
absl::StatusOr<SelectorFilters> FiltersOfMatchers(std::span<const promql::LabelMatcher> matchers);

// True if a series that passes the matchers has the label.
bool RequiresLabel(std::span<const promql::LabelMatcher> matchers, std::string_view label);

}  // namespace hourcell
