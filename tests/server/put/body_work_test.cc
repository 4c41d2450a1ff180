#include "server/put/body_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::body_work_test {
namespace {

using testing::HasSubstr;

// Steps until the work ends.
uint64_t StepsOf(BodyWork* work) {
  constexpr uint64_t kMany = 10 * kStepsOfALook;
  uint64_t steps = 0;
  while (steps < kMany && work->Step())
    ++steps;
  return steps;
}

TEST(BodyWorkTest, NobodyEndsWorkWithoutAClient) {
  BodyWork work;
  EXPECT_EQ(StepsOf(&work), 10 * kStepsOfALook);
  EXPECT_TRUE(work.Look());
  EXPECT_OK(work.status());
}

TEST(BodyWorkTest, CancelledWorkEndsWithinALook) {
  ManualClock clock(0);
  QueryControl control;
  BodyWork work(&control, &clock, /*deadline_ms=*/0);
  EXPECT_TRUE(work.Step());

  control.Cancel();

  EXPECT_LE(StepsOf(&work), kStepsOfALook);
  EXPECT_TRUE(absl::IsUnavailable(work.status()));
  EXPECT_FALSE(work.Step());
}

TEST(BodyWorkTest, WorkEndsAfterItsDeadline) {
  ManualClock clock(1'000);
  QueryControl control;
  BodyWork work(&control, &clock, clock.MonotonicMs() + 5);
  EXPECT_TRUE(work.Look());

  clock.Advance(6);

  EXPECT_FALSE(work.Look());
  EXPECT_THAT(work.status().message(), HasSubstr("tsd.http.request.work_timeout"));
}

}  // namespace
}  // namespace hourcell::body_work_test
