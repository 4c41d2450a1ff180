#include "promql/evaluation/invariants.h"

#include <string_view>

#include <gtest/gtest.h>

#include "promql/text/parser.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

bool IsInvariant(std::string_view text) {
  const auto expression = ParseQuery(text);
  EXPECT_OK(expression);
  return InvariantParts(**expression).Contains(**expression);
}

TEST(InvariantPartsTest, ASelectorWithATimeIsInvariant) {
  EXPECT_TRUE(IsInvariant("m @ 100"));
  EXPECT_TRUE(IsInvariant("m @ start()"));
  EXPECT_TRUE(IsInvariant("rate(m[5m] @ end())"));
  EXPECT_TRUE(IsInvariant("(1 + 2) * 3"));
  EXPECT_FALSE(IsInvariant("m"));
  EXPECT_FALSE(IsInvariant("rate(m[5m])"));
}

TEST(InvariantPartsTest, AnOperatorIsInvariantIfBothSidesAre) {
  EXPECT_TRUE(IsInvariant("m @ 100 + on (a) sum by (a) (n @ 200)"));
  EXPECT_FALSE(IsInvariant("m @ 100 + n"));
  EXPECT_FALSE(IsInvariant("topk(scalar(n), m @ 100)"));
  EXPECT_TRUE(IsInvariant("topk(scalar(n @ 1), m @ 100)"));
}

TEST(InvariantPartsTest, FunctionsOfTheStepsTimeAreNotInvariant) {
  EXPECT_FALSE(IsInvariant("time()"));
  EXPECT_FALSE(IsInvariant("hour()"));
  EXPECT_FALSE(IsInvariant("timestamp(m @ 100)"));
  EXPECT_FALSE(IsInvariant("predict_linear(m[5m] @ 100, 60)"));
  EXPECT_TRUE(IsInvariant("hour(m @ 100)"));
}

TEST(InvariantPartsTest, ASubqueryIsInvariantByItsOwnTime) {
  EXPECT_TRUE(IsInvariant("max_over_time(m[5m:1m] @ 100)"));
  EXPECT_FALSE(IsInvariant("max_over_time((m @ 100)[5m:1m])"));
}

TEST(InvariantPartsTest, PartsOfAVaryingExpressionAreFound) {
  const auto expression = ParseQuery("m + sum(n @ 100)");
  ASSERT_OK(expression);
  const auto& binary = std::get<Binary>((*expression)->node);

  const InvariantParts parts(**expression);

  EXPECT_FALSE(parts.Contains(**expression));
  EXPECT_FALSE(parts.Contains(*binary.left));
  EXPECT_TRUE(parts.Contains(*binary.right));
}

}  // namespace
}  // namespace hourcell::promql
