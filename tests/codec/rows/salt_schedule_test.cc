#include "codec/rows/salt_schedule.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::salt_schedule_test {
namespace {

SaltEpochs Epochs(std::string_view text) {
  auto epochs = SaltEpochs::Parse(text, 1);
  EXPECT_OK(epochs);
  return *std::move(epochs);
}

TEST(SaltScheduleTest, WhatIsAppendedIsInForceAndWhatWasReadStays) {
  SaltSchedule schedule(Epochs("0=4"));
  const SaltEpochs& before = schedule.epochs();
  ASSERT_OK(schedule.Append({.from_s = 3600, .buckets = 9}));
  EXPECT_EQ(before.ToText(), "0=4");
  EXPECT_EQ(schedule.epochs().ToText(), "0=4,3600=9");
}

TEST(SaltScheduleTest, WhatIsRefusedChangesNothing) {
  SaltSchedule schedule(Epochs("0=4,3600=9"));
  for (const SaltEpoch& epoch : {SaltEpoch{3600, 10}, SaltEpoch{7200, 9}, SaltEpoch{7201, 10},
                                 SaltEpoch{7200, 0}, SaltEpoch{7200, 257}})
    EXPECT_FALSE(schedule.Append(epoch).ok()) << epoch.from_s << " " << epoch.buckets;
  EXPECT_EQ(schedule.epochs().ToText(), "0=4,3600=9");
}

TEST(SaltScheduleTest, ReadersSeeWholeListsWhileEpochsAreAdded) {
  SaltSchedule schedule(Epochs("0=1"));
  std::atomic<bool> done = false;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      size_t seen = 0;
      while (!done) {
        const SaltEpochs& epochs = schedule.epochs();
        const size_t count = epochs.epochs().size();
        EXPECT_GE(count, seen);
        EXPECT_EQ(epochs.BucketsAt(3600 * (count - 1)), count);
        seen = count;
      }
    });
  }
  for (uint32_t i = 1; i < SaltEpochs::kEpochsMax; ++i)
    ASSERT_OK(schedule.Append({.from_s = uint64_t{3600} * i, .buckets = i + 1}));
  done = true;
}

}  // namespace
}  // namespace hourcell::salt_schedule_test
