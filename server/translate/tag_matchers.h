// Converts tag filters of m= to matchers of PromQL.
//
// Pure functions; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "engine/query/query_spec.h"
#include "promql/label_matcher.h"

namespace hourcell {

// The label that PromQL has for a tag key.
std::string LabelOfKey(std::string_view tagk);

// m{a="b"}, or {__name__="m.n",a="b"} unless `has_bare_name`.
// REQUIRES: the first matcher is that of the metric; for `has_bare_name` it is __name__="m".
std::string SelectorText(std::span<const promql::LabelMatcher> matchers, bool has_bare_name);

// Appends matchers that the same series pass, and the conditions for that, on tags.
// kInvalidArgument: the filter does not compile; kUnimplemented: a matcher cannot express it.
absl::Status AppendMatchers(const TagFilterSpec& filter,
                            std::vector<promql::LabelMatcher>* matchers,
                            std::vector<std::string>* conditions);

}  // namespace hourcell
