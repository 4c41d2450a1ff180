#include "engine/query/query_plan.h"

#include <gtest/gtest.h>

namespace hourcell::query_plan_test {
namespace {

const FunctionSpec kTop{.kind = FunctionSpec::Kind::kTop, .count = 10};
const FunctionSpec kBottom{.kind = FunctionSpec::Kind::kBottom, .count = 50};

TEST(QueryPlanTest, AQueryWithoutFunctionsHasLeavesOnly) {
  QuerySpec spec;
  spec.queries.resize(2);

  const QueryPlan plan = PlanOf(spec);

  EXPECT_FALSE(HasFunctions(spec));
  ASSERT_EQ(plan.roots.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(plan.roots[i].is_leaf());
    EXPECT_EQ(plan.roots[i].sub_query, i);
  }
}

TEST(QueryPlanTest, TheFirstFunctionIsTheRoot) {
  QuerySpec spec;
  spec.queries.resize(2);
  spec.queries[1].functions = {kTop, kBottom};

  const QueryPlan plan = PlanOf(spec);

  EXPECT_TRUE(HasFunctions(spec));
  ASSERT_EQ(plan.roots.size(), 2u);
  EXPECT_TRUE(plan.roots[0].is_leaf());
  const QueryNode& root = plan.roots[1];
  EXPECT_EQ(root.function, kTop);
  ASSERT_EQ(root.inputs.size(), 1u);
  EXPECT_EQ(root.inputs[0].function, kBottom);
  ASSERT_EQ(root.inputs[0].inputs.size(), 1u);
  EXPECT_TRUE(root.inputs[0].inputs[0].is_leaf());
  EXPECT_EQ(root.inputs[0].inputs[0].sub_query, 1u);
}

TEST(QueryPlanTest, TheTreesOfExpressionsHaveTheFunctionsOfTheirSubQueries) {
  QuerySpec spec;
  spec.queries.resize(2);
  spec.queries[1].functions = {kTop};
  QueryNode sum{.function = {.kind = FunctionSpec::Kind::kSumSeries}};
  sum.inputs = {QueryNode{.sub_query = 0}, QueryNode{.sub_query = 1}};
  spec.expressions = {sum};

  const QueryPlan plan = PlanOf(spec);

  EXPECT_TRUE(HasFunctions(spec));
  ASSERT_EQ(plan.roots.size(), 1u);
  const QueryNode& root = plan.roots[0];
  EXPECT_EQ(root.function.kind, FunctionSpec::Kind::kSumSeries);
  ASSERT_EQ(root.inputs.size(), 2u);
  EXPECT_TRUE(root.inputs[0].is_leaf());
  EXPECT_EQ(root.inputs[1].function, kTop);
  ASSERT_EQ(root.inputs[1].inputs.size(), 1u);
  EXPECT_EQ(root.inputs[1].inputs[0].sub_query, 1u);
}

}  // namespace
}  // namespace hourcell::query_plan_test
