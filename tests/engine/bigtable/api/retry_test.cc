#include "engine/bigtable/api/retry.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::retry_test {
namespace {

using grpc::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;

// Time goes by in sleeps only; the random numbers are the greatest.
struct ManualTime {
  int64_t now_ms = 1000;
  std::vector<int64_t> sleeps = {};
  RetryHooks hooks = {.monotonic_ms = [this] { return now_ms; },
                      .sleep =
                          [this](int64_t ms) {
                            now_ms += ms;
                            sleeps.push_back(ms);
                          },
                      .random_below = [](uint64_t bound) { return bound - 1; }};
};

TEST(RetryTest, WaitsDoubleUpToTheLongest) {
  ManualTime time;
  RetryLoop loop({.first_ms = 10, .max_ms = 50, .total_ms = 10'000}, &time.hooks);

  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(loop.WaitFor(StatusCode::UNAVAILABLE));

  EXPECT_THAT(time.sleeps, ElementsAre(10, 20, 40, 50, 50));
}

TEST(RetryTest, AWaitIsRandom) {
  ManualTime time;
  time.hooks.random_below = [](uint64_t bound) { return bound / 3; };
  RetryLoop loop({.first_ms = 29, .max_ms = 1000, .total_ms = 10'000}, &time.hooks);

  EXPECT_TRUE(loop.WaitFor(StatusCode::UNAVAILABLE));

  EXPECT_THAT(time.sleeps, ElementsAre(10));
}

TEST(RetryTest, EndsWithItsTime) {
  ManualTime time;
  RetryLoop loop({.first_ms = 40, .max_ms = 40, .total_ms = 100}, &time.hooks);

  EXPECT_TRUE(loop.WaitFor(StatusCode::UNAVAILABLE));
  EXPECT_TRUE(loop.WaitFor(StatusCode::UNAVAILABLE));
  EXPECT_FALSE(loop.WaitFor(StatusCode::UNAVAILABLE));

  EXPECT_THAT(time.sleeps, ElementsAre(40, 40));
}

TEST(RetryTest, WaitsAreShortAgainAfterProgress) {
  ManualTime time;
  RetryLoop loop({.first_ms = 10, .max_ms = 50, .total_ms = 10'000}, &time.hooks);
  EXPECT_TRUE(loop.WaitFor(StatusCode::UNAVAILABLE));
  EXPECT_TRUE(loop.WaitFor(StatusCode::UNAVAILABLE));

  loop.Restart();
  EXPECT_TRUE(loop.WaitFor(StatusCode::UNAVAILABLE));

  EXPECT_THAT(time.sleeps, ElementsAre(10, 20, 10));
}

TEST(RetryTest, OnlyWhatMayHelpIsRepeated) {
  for (const StatusCode code :
       {StatusCode::UNAVAILABLE, StatusCode::DEADLINE_EXCEEDED, StatusCode::ABORTED,
        StatusCode::RESOURCE_EXHAUSTED, StatusCode::INTERNAL})
    EXPECT_TRUE(MayBeRepeated(code)) << code;
  for (const StatusCode code :
       {StatusCode::OK, StatusCode::INVALID_ARGUMENT, StatusCode::NOT_FOUND,
        StatusCode::PERMISSION_DENIED, StatusCode::UNAUTHENTICATED, StatusCode::FAILED_PRECONDITION,
        StatusCode::UNIMPLEMENTED, StatusCode::CANCELLED})
    EXPECT_FALSE(MayBeRepeated(code)) << code;
}

TEST(RetryTest, ThePortKnowsWhatToTryAgain) {
  EXPECT_OK(FromGrpc(grpc::Status::OK, "read t"));
  EXPECT_THAT(FromGrpc({StatusCode::DEADLINE_EXCEEDED, "slow"}, "read t"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("read t: slow")));
  EXPECT_THAT(FromGrpc({StatusCode::PERMISSION_DENIED, "no"}, "read t"),
              StatusIs(absl::StatusCode::kPermissionDenied));
}

}  // namespace
}  // namespace hourcell::retry_test
