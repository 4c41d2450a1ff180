#include "engine/threads/task_pool.h"

#include <atomic>
#include <chrono>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace hourcell::task_pool_test {
namespace {

TEST(TaskPoolTest, DoesEachPieceOnce) {
  for (const size_t threads : {size_t{1}, size_t{2}, size_t{5}}) {
    TaskPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{1000}}) {
      std::vector<std::atomic<int>> done(count);
      pool.ForEach(count, [&](size_t i) { ++done[i]; });
      for (const std::atomic<int>& times : done)
        EXPECT_EQ(times, 1);
    }
  }
}

// A helper's memory that cannot be had is its caller's.
TEST(TaskPoolTest, WhatAPieceThrowsIsThrownToItsCaller) {
  for (int round = 0; round < 100; ++round) {
    TaskPool pool(1 + static_cast<size_t>(round % 4));
    std::atomic<int> done{0};
    const auto work = [&](size_t i) {
      ++done;
      if (i % 2 == 0) throw std::bad_alloc();
    };
    EXPECT_THROW(pool.ForEach(16, work), std::bad_alloc);
    EXPECT_EQ(done, 16) << "the others are done all the same";
  }
}

TEST(TaskPoolTest, ABusyPoolHoldsNobodyUp) {
  TaskPool pool(2);
  std::atomic<bool> may_go{false};
  std::atomic<int> waiting{0};
  std::thread busy([&] {
    pool.ForEach(2, [&](size_t) {
      ++waiting;
      while (!may_go)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  while (waiting < 2)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::set<std::thread::id> workers;

  pool.ForEach(10, [&](size_t) { workers.insert(std::this_thread::get_id()); });

  EXPECT_EQ(workers, (std::set<std::thread::id>{std::this_thread::get_id()}));
  may_go = true;
  busy.join();
}

TEST(TaskPoolTest, ManyCallersShareIt) {
  TaskPool pool(3);
  std::atomic<size_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        pool.ForEach(5, [&](size_t i) { sum += i; });
    });
  }
  for (std::thread& caller : callers)
    caller.join();

  EXPECT_EQ(sum, 4u * 200 * 10);
}

}  // namespace
}  // namespace hourcell::task_pool_test
