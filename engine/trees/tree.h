// Tree: the definition of a tree as in OpenTSDB: rules that give each series a place in a hierarchy
// of names (tree_mapper.h).
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>

namespace hourcell {

enum class TreeRuleType : uint8_t { kMetric, kMetricCustom, kTagk, kTagkCustom, kTagvCustom };

// "METRIC", "METRIC_CUSTOM", "TAGK", "TAGK_CUSTOM", "TAGV_CUSTOM".
std::string_view TreeRuleTypeName(TreeRuleType type);
// In any case.
std::optional<TreeRuleType> ParseTreeRuleType(std::string_view text);

struct TreeRule {
  // The value: the metric; the value of the tag `field`; or the field `custom_field` that a user
  // attached to the metric, to the tag key `field`, or to the tag value that is named `field`.
  TreeRuleType type = TreeRuleType::kMetric;
  std::string field = {};
  std::string custom_field = {};
  // The part of the value: group `regex_group_idx` + 1 of the regular expression; else the parts
  // between matches of `separator`, a level for each; else the whole value.
  std::string regex = {};
  std::string separator = {};
  std::string description = {};
  std::string notes = {};
  // The name, with {ovalue} for the value, {value} for its part, {tsuid} and {tag_name}; empty: the
  // part.
  std::string display_format = {};
  int32_t regex_group_idx = 0;
  friend bool operator==(const TreeRule&, const TreeRule&) = default;
};

// Levels form the hierarchy. Of the rules of a level, the first that gives a name counts.
struct TreeRuleAt {
  int32_t level = 0;
  int32_t order = 0;
  friend auto operator<=>(const TreeRuleAt&, const TreeRuleAt&) = default;
};

struct Tree {
  uint16_t id = 0;
  std::string name = {};
  std::string description = {};
  std::string notes = {};
  bool strict_match = false;  // leaves out series that lack the name of a level
  int64_t created_s = 0;
  bool enabled = false;         // false: without branches
  bool store_failures = false;  // lists collisions and the series that it leaves out
  std::map<TreeRuleAt, TreeRule> rules = {};
  friend bool operator==(const Tree&, const Tree&) = default;
};

// kInvalidArgument: a field that the type needs is missing, "Missing field name required for TAGK
// rule"; a negative group, level or order; an expression that does not compile; a display format
// of more than kTreeFormatBytesMax bytes.
absl::Status CheckTreeRule(const TreeRuleAt& at, const TreeRule& rule);

// "[1:0:2:TAGK]": the tree, level, order and type.
std::string TreeRuleText(uint16_t tree, const TreeRuleAt& at, const TreeRule& rule);

inline constexpr size_t kTreeFormatBytesMax = 1'000;

}  // namespace hourcell
