#include "server/trees/tree_json.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::tree_json_test {
namespace {

using testing::HasSubstr;

Tree FullTree() {
  Tree tree{.id = 258,
            .name = "Hosts \"1\"",
            .description = "d",
            .notes = "n",
            .strict_match = true,
            .created_s = 1'356'998'400,
            .enabled = true,
            .store_failures = true};
  tree.rules[{.level = 0, .order = 2}] = {.type = TreeRuleType::kTagvCustom,
                                          .field = "f",
                                          .custom_field = "c",
                                          .regex = "(a)",
                                          .separator = "\\.",
                                          .description = "rd",
                                          .notes = "rn",
                                          .display_format = "{value}",
                                          .regex_group_idx = 3};
  tree.rules[{.level = 7, .order = 0}] = {};
  return tree;
}

TEST(TreeJsonTest, ATreeIsReadBackAsItWasPrinted) {
  for (const Tree& tree : {FullTree(), Tree{.id = 258, .name = "x"}}) {
    const auto read = ParseTree(258, PrintTree(tree));
    ASSERT_OK(read);
    EXPECT_EQ(*read, tree);
  }
}

TEST(TreeJsonTest, PrintsTheFieldsOfOpenTsdb) {
  Tree tree{.id = 1, .name = "x", .created_s = 5};
  EXPECT_EQ(PrintTree(tree),
            R"({"treeId":1,"name":"x","description":"","notes":"","strictMatch":false,"created":5,)"
            R"("enabled":false,"storeFailures":false,"rules":null})");
  tree.rules[{.level = 1}] = {};
  EXPECT_THAT(PrintTree(tree),
              HasSubstr(R"("rules":{"1":{"0":{"type":"METRIC","field":"","customField":"",)"
                        R"("regex":"","separator":"","description":"","notes":"","level":1,)"
                        R"("order":0,"displayFormat":"","regexGroupIdx":0,"treeId":1}}}})"));
}

TEST(TreeJsonTest, AnotherTextIsDamage) {
  for (const std::string text :
       {"", "[]", "{", "{}", R"({"created":"x"})",
        R"({"created":1,"rules":{"x":{"0":{"type":"METRIC"}}}})",
        R"({"created":1,"rules":{"0":1}})", R"({"created":1,"rules":{"0":{"0":{}}}})",
        R"({"created":1,"rules":{"-1":{"0":{"type":"METRIC"}}}})"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParseTree(1, text), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("tree 1")));
  }
}

TEST(TreeJsonTest, BranchesHaveOneLevelOfBranches) {
  const TreeBranch branch{
      .path = {"web"},
      .branches = {"a"},
      .leaves = {{.name = "user", .tsuid = "01", .metric = "m", .tags = {{"h", "w"}}}}};
  std::string text;
  JsonWriter json(&text);
  AppendBranch(1, branch, &json);
  EXPECT_EQ(text,
            R"({"leaves":[{"metric":"m","tags":{"h":"w"},"tsuid":"01","displayName":"user"}],)"
            R"("branches":[{"leaves":null,"branches":null,"path":{"0":"ROOT","1":"web","2":"a"},)"
            R"("treeId":1,"displayName":"a","branchId":"00010001CB5400000061","depth":2}],)"
            R"("path":{"0":"ROOT","1":"web"},"treeId":1,"displayName":"web",)"
            R"("branchId":"00010001CB54","depth":1})");
}

TEST(TreeJsonTest, APathIsBranchesInBranches) {
  std::string text;
  JsonWriter json(&text);
  AppendPath(1, {.is_placed = true, .branches = {"a"}, .leaf = "x"},
             {.name = "x", .tsuid = "01", .metric = "m"}, &json);
  EXPECT_EQ(text, R"({"leaves":null,"branches":[{"leaves":[{"metric":"m","tags":{},"tsuid":"01",)"
                  R"("displayName":"x"}],"branches":null,"path":{"0":"ROOT","1":"a"},"treeId":1,)"
                  R"("displayName":"a","branchId":"000100000061","depth":1}],"path":{"0":"ROOT"},)"
                  R"("treeId":1,"displayName":"ROOT","branchId":"0001","depth":0})");
}

}  // namespace
}  // namespace hourcell::tree_json_test
