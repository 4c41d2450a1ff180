#include "engine/trees/tree.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/engine/trees/tree_vectors.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::tree_test {
namespace {

using testing::HasSubstr;

constexpr auto kRefused = absl::StatusCode::kInvalidArgument;

TEST(TreeRuleTest, VectorsOfTypes) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "tree-rule")) {
    if (TextOf(vector.given, "kind") != "type") continue;
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const bool is_null = vector.given["type"].is_null();
    const auto type = ParseTreeRuleType(is_null ? "" : TextOf(vector.given, "type"));
    EXPECT_EQ(type.has_value(), !vector.wants_error());
    if (type.has_value()) {
      EXPECT_EQ(TreeRuleTypeName(*type), TextOf(vector.expect, "type"));
    }
    ++run;
  }
  EXPECT_EQ(run, 7);
}

TEST(TreeRuleTest, VectorsOfRules) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "tree-rule")) {
    if (TextOf(vector.given, "kind") != "rule") continue;
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const TreeRule rule = RuleOfVector(vector.given["rule"]);
    EXPECT_EQ(CheckTreeRule({}, rule).ok(), !vector.wants_error());
    ++run;
  }
  EXPECT_EQ(run, 8);
}

TEST(TreeRuleTest, RefusesWhatCannotBeEvaluated) {
  EXPECT_THAT(CheckTreeRule({}, {.regex = "("}), StatusIs(kRefused, HasSubstr("missing )")));
  EXPECT_THAT(CheckTreeRule({}, {.separator = "["}), StatusIs(kRefused));
  EXPECT_THAT(CheckTreeRule({}, {.regex_group_idx = -1}),
              StatusIs(kRefused, HasSubstr("less than 0")));
  EXPECT_THAT(CheckTreeRule({.level = -1}, {}), StatusIs(kRefused, HasSubstr("levels")));
  EXPECT_THAT(CheckTreeRule({.order = -1}, {}), StatusIs(kRefused, HasSubstr("orders")));
  EXPECT_THAT(CheckTreeRule({}, {.display_format = std::string(kTreeFormatBytesMax + 1, 'x')}),
              StatusIs(kRefused, HasSubstr("got 1001")));
}

TEST(TreeRuleTest, TheTextHasTreeLevelOrderAndType) {
  EXPECT_EQ(TreeRuleText(1, {.level = 2, .order = 3}, {.type = TreeRuleType::kTagkCustom}),
            "[1:2:3:TAGK_CUSTOM]");
}

}  // namespace
}  // namespace hourcell::tree_test
