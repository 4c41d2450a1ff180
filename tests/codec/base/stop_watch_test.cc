#include "codec/base/stop_watch.h"

#include <gtest/gtest.h>

namespace hourcell::stop_watch_test {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

TEST(StopWatchTest, AddsTheTimeItLivedToASum) {
  int64_t sum_us = 1'000'000;
  const steady_clock::time_point begin = steady_clock::now();
  {
    const StopWatch watch(&sum_us);
    while (steady_clock::now() - begin < microseconds(200)) {
    }
    EXPECT_EQ(sum_us, 1'000'000) << "it adds when it ends";
  }
  const steady_clock::duration elapsed = steady_clock::now() - begin;

  EXPECT_GT(sum_us, 1'000'000);
  EXPECT_LE(microseconds(sum_us - 1'000'000), elapsed);
}

}  // namespace
}  // namespace hourcell::stop_watch_test
