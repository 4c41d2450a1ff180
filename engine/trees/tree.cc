#include "engine/trees/tree.h"

#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/stages/tag_regexp.h"

namespace hourcell {
namespace {

constexpr std::string_view kRuleTypeNames[] = {"METRIC", "METRIC_CUSTOM", "TAGK", "TAGK_CUSTOM",
                                               "TAGV_CUSTOM"};

absl::Status RefuseRule(std::string message) {
  return absl::InvalidArgumentError(std::move(message));
}

absl::Status CheckRegexp(std::string_view text) {
  return text.empty() ? absl::OkStatus() : TagRegexp::Compile(text).status();
}

}  // namespace

std::string_view TreeRuleTypeName(TreeRuleType type) {
  return kRuleTypeNames[static_cast<size_t>(type)];
}

std::optional<TreeRuleType> ParseTreeRuleType(std::string_view text) {
  const std::string word = LowerCase(text);
  for (size_t i = 0; i < std::size(kRuleTypeNames); ++i) {
    if (word == LowerCase(kRuleTypeNames[i])) return static_cast<TreeRuleType>(i);
  }
  return std::nullopt;
}

absl::Status CheckTreeRule(const TreeRuleAt& at, const TreeRule& rule) {
  const std::string_view type = TreeRuleTypeName(rule.type);
  const bool of_metric =
      rule.type == TreeRuleType::kMetric || rule.type == TreeRuleType::kMetricCustom;
  const bool of_name = rule.type == TreeRuleType::kMetric || rule.type == TreeRuleType::kTagk;
  if (!of_metric && rule.field.empty()) {
    return RefuseRule(fmt::format("Missing field name required for {} rule", type));
  }
  if (!of_name && rule.custom_field.empty()) {
    return RefuseRule(fmt::format("Missing custom field name required for {} rule", type));
  }
  if (rule.regex_group_idx < 0) {
    return RefuseRule("Invalid regex group index. Cannot be less than 0");
  }
  if (at.level < 0) return RefuseRule("Negative levels are not allowed");
  if (at.order < 0) return RefuseRule("Negative orders are not allowed");
  if (rule.display_format.size() > kTreeFormatBytesMax) {
    return RefuseRule(fmt::format("displayFormat: expected at most {} bytes, got {}",
                                  kTreeFormatBytesMax, rule.display_format.size()));
  }
  HOURCELL_RETURN_IF_ERROR(CheckRegexp(rule.regex));
  return CheckRegexp(rule.separator);
}

std::string TreeRuleText(uint16_t tree, const TreeRuleAt& at, const TreeRule& rule) {
  return fmt::format("[{}:{}:{}:{}]", tree, at.level, at.order, TreeRuleTypeName(rule.type));
}

}  // namespace hourcell
