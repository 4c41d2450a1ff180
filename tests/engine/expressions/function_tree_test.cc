#include "engine/expressions/function_tree.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::function_tree_test {
namespace {

using Kind = FunctionSpec::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<QueryNode> TreeOf(std::string_view text, std::vector<std::string>* sub_queries) {
  const auto call = ParseFunctionCall(text);
  if (!call.ok()) return call.status();
  return MakeFunctionTree(*call, [&](std::string_view sub_query) -> absl::StatusOr<size_t> {
    if (sub_query == "sum:bad") return absl::InvalidArgumentError("bad metric");
    sub_queries->emplace_back(sub_query);
    return sub_queries->size() - 1;
  });
}

TEST(FunctionTreeTest, LeavesAreTheSubQueriesFromLeftToRight) {
  std::vector<std::string> sub_queries;
  const auto tree = TreeOf("sum(diffSeries(sum:a,sum:a),scale(sum:b,-1.5),sum:c)", &sub_queries);

  ASSERT_OK(tree);
  EXPECT_THAT(sub_queries, ElementsAre("sum:a", "sum:a", "sum:b", "sum:c"));
  EXPECT_EQ(tree->function.kind, Kind::kSumSeries);
  ASSERT_EQ(tree->inputs.size(), 3u);
  EXPECT_EQ(tree->inputs[0].function.kind, Kind::kDiffSeries);
  EXPECT_EQ(tree->inputs[0].inputs[1].sub_query, 1u);
  EXPECT_EQ(tree->inputs[1].function.factor, -1.5);
  EXPECT_TRUE(tree->inputs[2].is_leaf());
  EXPECT_EQ(tree->inputs[2].sub_query, 3u);
}

TEST(FunctionTreeTest, AnErrorNamesItsCharacter) {
  std::vector<std::string> sub_queries;
  const auto expect_error = [&](std::string_view text, std::string_view error) {
    EXPECT_THAT(TreeOf(text, &sub_queries),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(error))))
        << text;
  };
  expect_error("sum(sum:a,nosuch(sum:b))",
               R"(character 11: expected the name of a function, got "nosuch")");
  expect_error("absolute(sum:bad)", "character 10: bad metric");
  expect_error("sum(sum:a)", "character 1: expected 2 to 26 inputs of sum, got 1");
  expect_error("absolute(sum:a,sum:b)", "character 1: expected 1 inputs of absolute, got 2");
  expect_error("absolute(sum:a,3)", "character 1: expected 0 parameters of absolute, got 1");
  expect_error("alias(sum:a)", "character 1: expected 1 or more parameters of alias, got 0");
  expect_error("scale(sum:a,x)", R"(character 13: parameter: expected a factor)");
  expect_error("highestMax(sum:a,10001)", "character 18: parameter: expected a number from 1 to");
  expect_error("timeShift(sum:a,'99999999999week')", "character 17: parameter: expected a shift");
}

TEST(FunctionTreeTest, QuotesAreNotPartOfAnAlias) {
  std::vector<std::string> sub_queries;
  EXPECT_EQ(TreeOf("alias(sum:a,'my name',\"b\",c)", &sub_queries)->function.text, "my name,b,c");
}

}  // namespace
}  // namespace hourcell::function_tree_test
