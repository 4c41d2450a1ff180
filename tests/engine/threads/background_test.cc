#include "engine/threads/background.h"

#include <atomic>

#include "tests/support/status_matchers.h"

namespace hourcell::background_test {
namespace {

TEST(BackgroundTest, RunsAtIntervalsUntilItIsGone) {
  std::atomic<int> runs{0};
  Mutex mutex;
  CondVar ran;
  {
    Background background("hc-test", /*interval_ms=*/1, [&] {
      MutexLock lock(&mutex);
      ++runs;
      ran.NotifyAll();
    });
    MutexLock lock(&mutex);
    while (runs < 3)
      ran.Wait(&mutex);
  }
  const int when_gone = runs;

  EXPECT_GE(when_gone, 3);
  EXPECT_EQ(runs, when_gone);
}

TEST(BackgroundTest, WithoutAnIntervalRunsOnlyWhenAsked) {
  int runs = 0;
  Background background("hc-test", /*interval_ms=*/0, [&] { ++runs; });

  background.RunOnce();

  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace hourcell::background_test
