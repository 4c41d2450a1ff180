// Converts tag filters of m= to matchers of PromQL.
//
// Pure functions; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "engine/query/query_spec.h"
#include "promql/label_matcher.h"

namespace hourcell {

// The label that PromQL has for a tag key.
std::string LabelOfKey(std::string_view tagk);

// Appends matchers that the same series pass, and the conditions for that, on tags.
// kInvalidArgument: the filter does not compile; kUnimplemented: a matcher cannot express it.
absl::Status AppendMatchers(const TagFilterSpec& filter,
                            std::vector<promql::LabelMatcher>* matchers,
                            std::vector<std::string>* conditions);

}  // namespace hourcell
