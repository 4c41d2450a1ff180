#include "server/inputs/refusal_log.h"

#include <gtest/gtest.h>

namespace hourcell::refusal_log_test {
namespace {

TEST(RefusalLogTest, ALineIsDueEverySoOften) {
  ManualClock clock(1'000);
  RefusalLog log(&clock);

  EXPECT_EQ(log.Note("bad line", 2), "bad line; 2 refused since the last report");
  EXPECT_EQ(log.Note("worse line", 3), std::nullopt);
  clock.StepWall(kRefusalLogMs);
  EXPECT_EQ(log.Note("worse line", 1), std::nullopt) << "somebody has set the clock";
  clock.Advance(kRefusalLogMs);
  EXPECT_EQ(log.Note("last line", 1), "last line; 5 refused since the last report");
  EXPECT_EQ(log.Note("one more", 1), std::nullopt);
}

}  // namespace
}  // namespace hourcell::refusal_log_test
