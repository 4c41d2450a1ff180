#include "engine/rocks/regions/region_gate.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace hourcell::region_gate_test {
namespace {

TEST(RegionGateTest, ManyMayBeInside) {
  RegionGate gate;
  EXPECT_EQ(gate.Enter(), RegionGate::Entry::kInside);
  EXPECT_EQ(gate.Enter(), RegionGate::Entry::kInside);
  gate.Leave();
  gate.Leave();
  gate.Close();
  gate.Open();
  EXPECT_EQ(gate.Enter(), RegionGate::Entry::kInside);
  gate.Leave();
}

TEST(RegionGateTest, WhoWaitsIsToldThatTheRegionIsGone) {
  RegionGate gate;
  gate.Close();
  std::atomic<int> refused = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { refused += gate.Enter() == RegionGate::Entry::kGone ? 1 : 0; });
  gate.Abandon();
  threads.clear();
  EXPECT_EQ(refused, 4);
  EXPECT_EQ(gate.Enter(), RegionGate::Entry::kGone);
}

TEST(RegionGateTest, WhoWaitsIsToldThatItFailed) {
  RegionGate gate;
  gate.Close();
  std::jthread waiting([&] { EXPECT_EQ(gate.Enter(), RegionGate::Entry::kFailed); });
  gate.Fail();
  EXPECT_EQ(gate.Enter(), RegionGate::Entry::kFailed);
}

TEST(RegionGateTest, SaysThatItFailed) {
  RegionGate gate;
  gate.Close();
  EXPECT_FALSE(gate.has_failed());
  gate.Fail();
  EXPECT_TRUE(gate.has_failed());
  EXPECT_EQ(gate.Enter(), RegionGate::Entry::kFailed);
}

// Threads that overlap, so that one is always inside, cannot delay closing indefinitely.
TEST(RegionGateTest, NobodyIsInsideWhileItIsClosed) {
  RegionGate gate;
  std::atomic<bool> stop = false;
  std::atomic<int> inside = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        if (gate.Enter() != RegionGate::Entry::kInside) return;
        ++inside;
        std::this_thread::yield();
        --inside;
        gate.Leave();
      }
    });
  }
  for (int round = 0; round < 200; ++round) {
    gate.Close();
    EXPECT_EQ(inside, 0);
    std::this_thread::yield();
    EXPECT_EQ(inside, 0);
    gate.Open();
  }
  stop = true;
}

}  // namespace
}  // namespace hourcell::region_gate_test
