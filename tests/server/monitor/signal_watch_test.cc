#include "server/monitor/signal_watch.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::signal_watch_test {
namespace {

class SignalWatchTest : public testing::Test {
 protected:
  ServedThing Thing() {
    return {.status = "serving",
            .stop = [this] { ++stops_; },
            .skip_drain = [this] { ++skips_drain_; },
            .reload = [this] { ++reloads_; },
            .probe = nullptr};
  }
  static void Until(const std::atomic<int>& count, int wanted) {
    while (count < wanted)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  const ServiceManager manager_{"", 0};
  std::atomic<int> stops_ = 0;
  std::atomic<int> skips_drain_ = 0;
  std::atomic<int> reloads_ = 0;
};

TEST_F(SignalWatchTest, TheSecondSignalSkipsTheDrain) {
  SignalWatch watch(&manager_);
  watch.Serve(Thing());
  EXPECT_FALSE(watch.is_stopping());
  raise(SIGHUP);
  Until(reloads_, 1);
  raise(SIGTERM);
  Until(stops_, 1);
  EXPECT_TRUE(watch.is_stopping());
  raise(SIGINT);
  Until(skips_drain_, 1);
  watch.Leave();
  EXPECT_EQ(stops_, 1);
}

// Between two things that are served.
TEST_F(SignalWatchTest, ASignalThatCameEarlyStopsWhatIsServedNext) {
  SignalWatch watch(&manager_);
  raise(SIGTERM);
  while (!watch.is_stopping())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  watch.Serve(Thing());
  Until(stops_, 1);
  watch.Leave();
}

TEST_F(SignalWatchTest, WhatIsLeftIsNotStopped) {
  SignalWatch watch(&manager_);
  watch.Serve(Thing());
  watch.Leave();
  raise(SIGHUP);
  raise(SIGTERM);
  while (!watch.is_stopping())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(stops_, 0);
  EXPECT_EQ(reloads_, 0);
}

}  // namespace
}  // namespace hourcell::signal_watch_test
