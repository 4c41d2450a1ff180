// LabelMatcher: a condition on a label of series: a="b", a!="b", a=~"b", a!~"b".

#pragma once

#include <cstdint>
#include <string>

namespace hourcell::promql {

enum class MatchOperator : uint8_t { kEqual, kNotEqual, kRegexp, kNotRegexp };

// Regular expressions match the whole value.
struct LabelMatcher {
  std::string name;
  MatchOperator op = MatchOperator::kEqual;
  std::string value;
  friend bool operator==(const LabelMatcher&, const LabelMatcher&) = default;
};

}  // namespace hourcell::promql
