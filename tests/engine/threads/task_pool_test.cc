#include "engine/threads/task_pool.h"

#include <sched.h>

#include <algorithm>
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

TEST(TaskPoolTest, ThenFollowsEachPieceInOrder) {
  for (const size_t threads : {size_t{1}, size_t{2}, size_t{5}}) {
    TaskPool pool(threads);
    for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{1000}}) {
      std::vector<std::atomic<int>> done(count);
      std::vector<size_t> followed;
      const std::thread::id caller = std::this_thread::get_id();
      pool.ForEachThen(
          count, [&](size_t i) { ++done[i]; },
          [&](size_t i) {
            EXPECT_EQ(done[i], 1);
            EXPECT_EQ(std::this_thread::get_id(), caller);
            followed.push_back(i);
            return true;
          });
      ASSERT_EQ(followed.size(), count);
      EXPECT_TRUE(std::ranges::is_sorted(followed));
    }
  }
}

// The helper does the second piece while the caller follows the first.
TEST(TaskPoolTest, PiecesAreDoneWhileTheCallerFollows) {
  TaskPool pool(2);
  std::atomic<bool> second_done{false};
  pool.ForEachThen(
      2,
      [&](size_t i) {
        if (i == 1) second_done = true;
      },
      [&](size_t i) {
        if (i == 0) {
          while (!second_done)
            std::this_thread::yield();
        }
        return true;
      });
}

TEST(TaskPoolTest, ThenEndsTheCall) {
  for (int round = 0; round < 100; ++round) {
    TaskPool pool(1 + static_cast<size_t>(round % 3));
    std::atomic<size_t> begun{0};
    std::atomic<size_t> done{0};
    size_t followed = 0;
    pool.ForEachThen(
        1000,
        [&](size_t) {
          ++begun;
          ++done;
        },
        [&](size_t) { return ++followed < 3; });
    EXPECT_EQ(followed, 3u);
    EXPECT_EQ(begun, done) << "a piece still runs";
    EXPECT_TRUE(pool.threads() > 1 || done == 3u) << done;
  }
}

TEST(TaskPoolTest, APieceOrItsFollowerThatThrowsEndsTheCall) {
  for (int round = 0; round < 100; ++round) {
    TaskPool pool(1 + static_cast<size_t>(round % 3));
    size_t followed = 0;
    const auto work = [](size_t i) {
      if (i == 5) throw std::bad_alloc();
    };
    const auto then = [&](size_t) { return ++followed > 0; };
    EXPECT_THROW(pool.ForEachThen(16, work, then), std::bad_alloc);
    EXPECT_LE(followed, 5u);

    const auto fail = [](size_t i) { return i < 3 ? true : throw std::bad_alloc(); };
    EXPECT_THROW(pool.ForEachThen(16, [](size_t) {}, fail), std::bad_alloc);
  }
}

// A helper on the caller's processor would only begin when the caller is done.
TEST(TaskPoolTest, AHelperUsesAnotherProcessorThanItsCaller) {
  if (ProcessorCount() < 2) GTEST_SKIP() << "the process may use one processor only";
  TaskPool pool(2);
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  for (size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &all)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    const std::thread::id caller = std::this_thread::get_id();
    bool is_kept_off = false;
    for (int round = 0; round < 5000 && !is_kept_off; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // until the helper is idle
      std::atomic<int> begun{0};
      pool.ForEach(2, [&](size_t) {
        cpu_set_t of_helper;
        if (std::this_thread::get_id() != caller &&
            sched_getaffinity(0, sizeof(of_helper), &of_helper) == 0) {
          is_kept_off = !CPU_ISSET(processor, &of_helper);
        }
        ++begun;
        while (begun < 2)
          std::this_thread::yield();
      });
    }
    EXPECT_TRUE(is_kept_off) << processor;
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
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
