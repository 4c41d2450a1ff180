#include "server/http/request_body_budget.h"

#include <utility>

#include <gtest/gtest.h>

namespace hourcell::request_body_budget_test {
namespace {

TEST(RequestBodyBudgetTest, TakesNoMoreThanItsLimitAndGivesBack) {
  RequestBodyBudget memory(100);
  RequestBodyBudget::Hold first(&memory);
  RequestBodyBudget::Hold second(&memory);
  EXPECT_TRUE(first.Grow(60));
  EXPECT_FALSE(second.Grow(41));
  EXPECT_EQ(second.bytes(), 0U);
  EXPECT_TRUE(second.Grow(40));

  first.Release();

  EXPECT_EQ(memory.bytes(), 40U);
  EXPECT_TRUE(second.Grow(100));
}

TEST(RequestBodyBudgetTest, GrowingCountsOnlyWhatIsMore) {
  RequestBodyBudget memory(100);
  RequestBodyBudget::Hold hold(&memory);

  EXPECT_TRUE(hold.Grow(60));
  EXPECT_TRUE(hold.Grow(90));
  EXPECT_TRUE(hold.Grow(10));

  EXPECT_EQ(memory.bytes(), 90U);
}

TEST(RequestBodyBudgetTest, ABodyThatIsAloneFits) {
  RequestBodyBudget memory(100);
  RequestBodyBudget::Hold large(&memory);
  RequestBodyBudget::Hold small(&memory);

  EXPECT_TRUE(large.Grow(1000));

  EXPECT_FALSE(small.Grow(1));
}

TEST(RequestBodyBudgetTest, ABodyThatIsAloneFitsAlsoIfItGrows) {
  RequestBodyBudget memory(100);
  RequestBodyBudget::Hold large(&memory);
  RequestBodyBudget::Hold small(&memory);

  EXPECT_TRUE(large.Grow(70));
  EXPECT_TRUE(large.Grow(1000));
  EXPECT_EQ(memory.bytes(), 1000U);

  large.Release();
  EXPECT_TRUE(small.Grow(1));
  EXPECT_TRUE(large.Grow(70));
  EXPECT_FALSE(large.Grow(1000));
}

TEST(RequestBodyBudgetTest, ShrinkingGivesBackWhatIsMore) {
  RequestBodyBudget memory(100);
  RequestBodyBudget::Hold hold(&memory);
  RequestBodyBudget::Hold other(&memory);
  EXPECT_TRUE(hold.Grow(90));

  hold.Shrink(95);
  EXPECT_EQ(memory.bytes(), 90U);
  hold.Shrink(40);

  EXPECT_EQ(hold.bytes(), 40U);
  EXPECT_FALSE(other.Grow(61));
  EXPECT_TRUE(other.was_refused());
  EXPECT_TRUE(other.Grow(60));
  EXPECT_FALSE(hold.was_refused());
}

TEST(RequestBodyBudgetTest, EndsAndMovesKeepTheCount) {
  RequestBodyBudget memory(0);
  {
    RequestBodyBudget::Hold first(&memory);
    EXPECT_TRUE(first.Grow(60));
    RequestBodyBudget::Hold second = std::move(first);
    EXPECT_EQ(memory.bytes(), 60U);
    second = RequestBodyBudget::Hold(&memory);
    EXPECT_EQ(memory.bytes(), 0U);
    EXPECT_TRUE(second.Grow(7));
  }
  EXPECT_EQ(memory.bytes(), 0U);
  EXPECT_TRUE(RequestBodyBudget::Hold().Grow(1));
}

}  // namespace
}  // namespace hourcell::request_body_budget_test
