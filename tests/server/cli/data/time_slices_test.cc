#include "server/cli/data/time_slices.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::time_slices_test {
namespace {

using testing::ElementsAre;

constexpr int64_t kStart = 1'400'000'000;

// All slices, of which each has so many points.
std::vector<TimeSlice> All(TimeSlices slices, uint64_t points) {
  std::vector<TimeSlice> all;
  while (const std::optional<TimeSlice> slice = slices.Next()) {
    all.push_back(*slice);
    slices.Done(points);
  }
  return all;
}

TEST(TimeSlicesTest, SmallAnswersMakeSlicesLonger) {
  const TimeSlice range{.start_s = kStart, .end_s = kStart + 8 * kSliceDayS};

  EXPECT_THAT(All(TimeSlices(range, {}), 1),
              ElementsAre(TimeSlice{kStart, kStart + kSliceDayS},
                          TimeSlice{kStart + kSliceDayS, kStart + 3 * kSliceDayS},
                          TimeSlice{kStart + 3 * kSliceDayS, kStart + 7 * kSliceDayS},
                          TimeSlice{kStart + 7 * kSliceDayS, kStart + 8 * kSliceDayS}));
  EXPECT_EQ(All(TimeSlices(range, {}), kSlicePointsSmall).size(), 8U);
}

TEST(TimeSlicesTest, TheTimeBefore2010IsOneSlice) {
  TimeSlices slices({.start_s = 0, .end_s = kStart}, {});

  EXPECT_EQ(slices.Next(), (TimeSlice{0, kSliceOldEndS}));
  slices.Done(0);
  EXPECT_EQ(slices.Next(), (TimeSlice{kSliceOldEndS, kSliceOldEndS + kSliceDayS}));
  for (int i = 0; i < 10; ++i)
    slices.Done(0);
  EXPECT_EQ(slices.Next()->end_s - slices.Next()->start_s, kSliceMaxS);
}

TEST(TimeSlicesTest, ALargeAnswerHalvesDownToASecond) {
  TimeSlices slices({.start_s = kStart, .end_s = kStart + 4}, {});

  EXPECT_TRUE(slices.Halve());
  EXPECT_EQ(slices.Next(), (TimeSlice{kStart, kStart + 2}));
  EXPECT_TRUE(slices.Halve());
  EXPECT_FALSE(slices.Halve());
  EXPECT_EQ(slices.Next(), (TimeSlice{kStart, kStart + 1}));
}

TEST(TimeSlicesTest, WhatIsFinishedIsLeftOut) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    const auto at = [&random] { return kStart + static_cast<int64_t>(random.Below(100)); };
    std::vector<TimeSlice> finished;
    std::vector<int> read(100);
    for (int i = 0; i < 4; ++i) {
      TimeSlice slice{.start_s = at(), .end_s = at()};
      if (slice.start_s > slice.end_s) std::swap(slice.start_s, slice.end_s);
      finished.push_back(slice);
      for (int64_t second = slice.start_s; second < slice.end_s; ++second)
        read[static_cast<size_t>(second - kStart)] = 1;
    }
    TimeSlices slices({.start_s = kStart, .end_s = kStart + 100}, finished);
    while (const std::optional<TimeSlice> slice = slices.Next()) {
      if (slice->end_s - slice->start_s > 8 && slices.Halve()) continue;
      for (int64_t second = slice->start_s; second < slice->end_s; ++second)
        ++read[static_cast<size_t>(second - kStart)];
      slices.Done(1);
    }
    EXPECT_THAT(read, testing::Each(1)) << round;
  }
}

TEST(TimeSlicesTest, AnEmptyRangeHasNone) {
  EXPECT_EQ(TimeSlices({.start_s = kStart, .end_s = kStart}, {}).Next(), std::nullopt);
  EXPECT_EQ(TimeSlices({.start_s = kStart, .end_s = kStart + 9}, {{0, kStart + 9}}).Next(),
            std::nullopt);
}

}  // namespace
}  // namespace hourcell::time_slices_test
