// Rules of trees in the form of rest.json.

#pragma once

#include <string>

#include <simdjson.h>

#include "codec/base/check.h"
#include "engine/trees/tree.h"
#include "tests/support/vectors.h"

namespace hourcell {

inline TreeRule RuleOfVector(simdjson::dom::element given) {
  const auto text = [given](std::string_view key) {
    return Has(given, key) ? TextOf(given, key) : std::string();
  };
  const auto type = ParseTreeRuleType(TextOf(given, "type"));
  HOURCELL_CHECK(type.has_value());
  TreeRule rule{.type = *type,
                .field = text("field"),
                .custom_field = text("customField"),
                .regex = text("regex"),
                .separator = text("separator"),
                .display_format = text("displayFormat")};
  if (Has(given, "regexGroupIdx")) {
    rule.regex_group_idx = static_cast<int32_t>(IntOf(given, "regexGroupIdx"));
  }
  return rule;
}

}  // namespace hourcell
