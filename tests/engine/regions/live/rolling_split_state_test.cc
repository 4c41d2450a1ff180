#include "engine/regions/live/rolling_split_state.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::rolling_split_state_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(RollingSplitStateTest, ReadsWhatItWrote) {
  const RollingSplitState journal{
      .split = R"(keys:\x00\x00\x02,a=b)", .keys = 2, .made = 1, .started_ms = 1356998400000};
  const Mutation row = SetRolling("data", journal);
  EXPECT_EQ(row.table, TableId::kSystem);
  EXPECT_EQ(row.key, "rolling/data");
  EXPECT_THAT(DecodeRolling("data", row.value), IsOkAndHolds(journal));
  EXPECT_EQ(DeleteRolling("data").key, row.key);
  EXPECT_EQ(DeleteRolling("data").kind, Mutation::Kind::kDelete);
}

TEST(RollingSplitStateTest, DamageIsNamed) {
  for (const char* const damaged :
       {"", "keys=1\n", "split=\n", "split=a\nkeys=\n", "split=a\nkeys=1x\n", "split=a\nmade=-1\n",
        "split=a\nother=1\n", "split=a\nnothing\n", "split=a\n\nkeys=1\n",
        "split=a\nkeys=99999999999999999999\n"}) {
    EXPECT_THAT(
        DecodeRolling("data", damaged),
        StatusIs(absl::StatusCode::kDataLoss, HasSubstr("row rolling/data of meta: expected")))
        << damaged;
  }
}

TEST(RollingSplitStateTest, TheMiddleComesFirst) {
  EXPECT_THAT(MiddleFirst({}), IsEmpty());
  EXPECT_THAT(MiddleFirst({"a"}), ElementsAre("a"));
  EXPECT_THAT(MiddleFirst({"a", "b", "c", "d", "e", "f", "g"}),
              ElementsAre("d", "b", "f", "a", "c", "e", "g"));
  EXPECT_THAT(MiddleFirst({"a", "b", "c", "d"}), ElementsAre("c", "b", "d", "a"));
}

}  // namespace
}  // namespace hourcell::rolling_split_state_test
