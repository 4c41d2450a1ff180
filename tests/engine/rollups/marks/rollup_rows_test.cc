#include "engine/rollups/marks/rollup_rows.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell {
namespace {

TEST(RollupRowsTest, AWatermarkHasTheseBytes) {
  const RollupUntil until{
      .metric = 0x10a, .until_s = 1356998400, .fingerprint = "1m(sum,count){dc=a b}"};

  EXPECT_EQ(RollupUntilKey(until.metric), "rollup/until/10a");
  EXPECT_EQ(RollupUntilValue(until), "1356998400 1m(sum,count){dc=a b}");
  const auto parsed = ParseRollupUntil("rollup/until/10a", "1356998400 1m(sum,count){dc=a b}");
  ASSERT_OK(parsed);
  EXPECT_EQ(*parsed, until);
}

TEST(RollupRowsTest, AMarkHasTheseBytes) {
  const RollupMark mark{.begin_s = 1356998400, .end_s = 1357002000, .series = 17};

  EXPECT_EQ(RollupMarkKey(255, mark), "rollup/mark/ff/1356998400/1357002000/17");
  Uid metric = 0;
  const auto parsed = ParseRollupMarkKey("rollup/mark/ff/1356998400/1357002000/17", &metric);
  ASSERT_OK(parsed);
  EXPECT_EQ(*parsed, mark);
  EXPECT_EQ(metric, 255U);
}

TEST(RollupRowsTest, DamagedRowsAreDataLoss) {
  for (const std::string key :
       {"rollup/mark/", "rollup/mark/ff/0/3600", "rollup/mark/ff/0/3600/x",
        "rollup/mark/ff/3600/3600/1", "rollup/mark/ff/7200/3600/1", "rollup/mark/ff/1/3600/1",
        "rollup/mark/g/0/3600/1", "rollup/mark/ff/0/3600/1/", "aside/1"}) {
    SCOPED_TRACE(key);
    Uid metric = 0;
    EXPECT_TRUE(absl::IsDataLoss(ParseRollupMarkKey(key, &metric).status()));
  }
  EXPECT_TRUE(absl::IsDataLoss(ParseRollupUntil("rollup/until/", "3600 a").status()));
  EXPECT_TRUE(absl::IsDataLoss(ParseRollupUntil("rollup/until/1", "3600").status()));
  EXPECT_TRUE(absl::IsDataLoss(ParseRollupUntil("rollup/until/1", "3601 a").status()));
  EXPECT_TRUE(absl::IsDataLoss(ParseRollupUntil("rollup/until/1", "-1 a").status()));
}

}  // namespace
}  // namespace hourcell
