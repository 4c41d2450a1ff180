#include "engine/regions/split/busy_rate.h"

#include <gtest/gtest.h>

namespace hourcell::busy_rate_test {
namespace {

constexpr uint64_t kWindowMs = 1000;

TEST(BusyRateTest, IsZeroInTheFirstWindow) {
  BusyRate rate(500, {});

  EXPECT_EQ(rate.Update(1499, {.writes = 100, .blocked = 100}, kWindowMs), 0);
}

TEST(BusyRateTest, IsTheShareOfBlockedWritesAtTheEndOfAWindow) {
  BusyRate rate(0, {.writes = 1000, .blocked = 500});

  EXPECT_NEAR(rate.Update(1000, {.writes = 1100, .blocked = 525}, kWindowMs), 0.25, 1e-6);
}

TEST(BusyRateTest, BlendsTheLastWindowWithTheTimeSince) {
  BusyRate rate(0, {});
  rate.Update(1000, {.writes = 100, .blocked = 40}, kWindowMs);

  // A quarter of a window later, all writes since were blocked.
  EXPECT_NEAR(rate.Update(1250, {.writes = 110, .blocked = 50}, kWindowMs), 0.75 * 0.4 + 0.25,
              1e-6);
}

TEST(BusyRateTest, AskingBetweenWindowsDoesNotMoveTheBaseline) {
  BusyRate asked(0, {});
  BusyRate quiet(0, {});
  for (BusyRate* rate : {&asked, &quiet})
    rate->Update(1000, {.writes = 100, .blocked = 40}, kWindowMs);
  asked.Update(1500, {.writes = 160, .blocked = 90}, kWindowMs);

  const BusyRate::Counts counts{.writes = 200, .blocked = 90};
  EXPECT_EQ(asked.Update(2000, counts, kWindowMs), quiet.Update(2000, counts, kWindowMs));
}

TEST(BusyRateTest, NoWritesAreNotBusy) {
  BusyRate rate(0, {});

  EXPECT_EQ(rate.Update(1000, {}, kWindowMs), 0);
}

}  // namespace
}  // namespace hourcell::busy_rate_test
