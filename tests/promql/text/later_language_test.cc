#include "promql/text/later_language.h"

#include <gtest/gtest.h>

#include "promql/text/function.h"

namespace hourcell::promql {
namespace {

TEST(LaterLanguageTest, NamesOfLaterVersionsAreKnown) {
  EXPECT_TRUE(IsLaterFunction("mad_over_time"));
  EXPECT_TRUE(IsLaterFunction("limitk"));
  EXPECT_TRUE(IsLaterAggregation("limit_ratio"));
  EXPECT_TRUE(IsLaterModifier("anchored"));
  EXPECT_FALSE(IsLaterFunction("rate"));
  EXPECT_FALSE(IsLaterAggregation("info"));
  EXPECT_FALSE(IsLaterModifier("offset"));
}

TEST(LaterLanguageTest, NoFunctionOfTheLanguageIsALaterOne) {
  for (int i = 0; i <= static_cast<int>(Function::kYear); ++i)
    EXPECT_FALSE(IsLaterFunction(SignatureOf(static_cast<Function>(i)).name));
}

TEST(LaterLanguageTest, TheTextNamesTheVersion) {
  EXPECT_EQ(LaterLanguageText("info"), "info is not part of the language of Prometheus 2.42");
}

}  // namespace
}  // namespace hourcell::promql
