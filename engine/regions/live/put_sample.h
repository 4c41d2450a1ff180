// PutSample: samples one of 64 points that are put, so that puts can be counted by region without a
// look at each point. It takes one point of each 64 in a row, at a place that differs from block to
// block: a sender with a regular pattern is sampled evenly. Thread-safe.

#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "codec/base/mutex.h"

namespace hourcell {

struct SampledPut {
  uint64_t series = 0;
  uint32_t base_time_s = 0;

  friend auto operator<=>(const SampledPut&, const SampledPut&) = default;
};

class PutSample {
 public:
  static constexpr uint64_t kEvery = 64;
  // Points kept until Take; beyond that, the first ones represent all.
  static constexpr size_t kSampleMax = 4'096;

  // Counts `count` points that are put; `at(i)` returns the i-th. Costs one addition, and a lock
  // for each point that is taken.
  template <typename At>
  void Add(uint64_t count, const At& at) {
    const uint64_t first = points_.fetch_add(count, std::memory_order_relaxed);
    const uint64_t end = first + count;
    for (uint64_t block = first / kEvery; block * kEvery < end; ++block) {
      const uint64_t place = PlaceIn(block);
      if (place >= first && place < end) Keep(at(static_cast<size_t>(place - first)));
    }
  }

  struct Taken {
    std::vector<SampledPut> puts = {};
    uint64_t points = 0;  // that they represent
  };
  // The sample since the last call.
  Taken Take();

 private:
  // The point of a block that is taken.
  static uint64_t PlaceIn(uint64_t block) {
    constexpr uint64_t kMix = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
    constexpr int kShift = 58;                     // leaves a number below kEvery
    const uint64_t mixed = (block ^ (block >> 31)) * kMix;
    return block * kEvery + (mixed >> kShift);
  }

  void Keep(const SampledPut& put);

  std::atomic<uint64_t> points_{0};
  Mutex mutex_;
  uint64_t points_taken_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<SampledPut> puts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
