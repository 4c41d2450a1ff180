#include "engine/regions/live/put_sample.h"

#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::put_sample_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Puts of series 0, 1, ... `series` - 1 in turn, `at_once` at a time.
void PutInTurn(PutSample* sample, uint64_t count, uint64_t series, uint64_t at_once) {
  for (uint64_t first = 0; first < count; first += at_once) {
    sample->Add(at_once, [&](size_t i) {
      return SampledPut{.series = (first + i) % series, .base_time_s = 3'600};
    });
  }
}

TEST(PutSampleTest, TakesOneOfEach64) {
  for (const uint64_t at_once : {uint64_t{1}, uint64_t{8}, uint64_t{64}, uint64_t{1000}}) {
    PutSample sample;
    PutInTurn(&sample, 64'000, 1'000, at_once);
    const PutSample::Taken taken = sample.Take();
    EXPECT_THAT(taken.puts, SizeIs(1'000)) << at_once;
    EXPECT_EQ(taken.points, 64'000u) << at_once;
  }
}

// With a fixed place in each block, all samples would be of one series.
TEST(PutSampleTest, ASenderWithARhythmIsSampledEvenly) {
  PutSample sample;
  PutInTurn(&sample, 64'000, 64, 64);
  std::set<uint64_t> seen;
  for (const SampledPut& put : sample.Take().puts)
    seen.insert(put.series);
  EXPECT_GT(seen.size(), 50u);
}

TEST(PutSampleTest, WhatIsNotSampledYetIsCountedLater) {
  PutSample sample;
  uint64_t points = 0;
  for (int i = 0; i < 640; ++i) {
    PutInTurn(&sample, 10, 10, 1);
    points += sample.Take().points;
  }
  EXPECT_GT(points, 6'400u - 128);
  EXPECT_LE(points, 6'400u);
}

TEST(PutSampleTest, IsBoundedAndStillStandsForAll) {
  PutSample sample;
  PutInTurn(&sample, 64 * 10'000, 1'000, 1'000);
  const PutSample::Taken taken = sample.Take();
  EXPECT_THAT(taken.puts, SizeIs(PutSample::kSampleMax));
  EXPECT_EQ(taken.points, 640'000u);
  EXPECT_THAT(sample.Take().puts, IsEmpty());
}

TEST(PutSampleTest, ThreadsShareIt) {
  PutSample sample;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&sample] { PutInTurn(&sample, 6'400, 10, 10); });
  }
  EXPECT_THAT(sample.Take().puts, SizeIs(400));
}

}  // namespace
}  // namespace hourcell::put_sample_test
