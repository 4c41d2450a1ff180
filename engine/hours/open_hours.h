// OpenHours: all points that are not in cells yet, in lanes; and how much of their memory budget
// they take.
//
// A read pins, takes its snapshot of the tables, and then reads each series here: points found here
// come after those of the snapshot's cell, and win at an equal instant. So a read misses and
// doubles nothing while hours are sealed under it, and sees nothing that was deleted from the
// tables before it pinned. Thread-safe.

#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "codec/base/check.h"
#include "codec/base/named_thread.h"
#include "codec/cells/cell.h"
#include "engine/hours/lane.h"
#include "engine/hours/read_pins.h"
#include "engine/rows/series_key.h"

namespace hourcell {

class OpenHours {
 public:
  // Enough that appenders seldom meet, few enough that a batch has many points for each. A power of
  // two, so that a point's lane costs no division.
  static size_t LanesByProcessors() {
    return std::clamp<size_t>(std::bit_ceil(4 * ProcessorCount()), 8, 64);
  }

  // REQUIRES: at least one lane.
  explicit OpenHours(size_t lanes)
      : count_(lanes),
        mask_(std::has_single_bit(lanes) ? lanes - 1 : 0),
        lanes_(std::make_unique<Lane[]>(lanes)) {
    HOURCELL_CHECK(lanes > 0);
  }

  std::span<Lane> lanes() { return {lanes_.get(), count_}; }
  size_t LaneIndexOf(SeriesNumber series) const {
    return mask_ != 0 ? series & mask_ : series % count_;
  }
  Lane& LaneOf(SeriesNumber series) { return lanes_[LaneIndexOf(series)]; }

  ReadPins& pins() { return pins_; }

  // Lane::Read of the series' lane. `pinned_at`: the time of the read's pin.
  bool Read(SeriesNumber series,
            uint64_t begin_s,
            uint64_t end_s,
            uint64_t pinned_at,
            const std::function<void(uint32_t base_time_s, const CellColumns& columns)>& visit) {
    return LaneOf(series).Read(series, begin_s, end_s, pinned_at, visit);
  }
  // The first journal block that is still needed; `next_block` if none is.
  uint64_t LowMark(uint64_t next_block) {
    for (Lane& lane : lanes())
      next_block = std::min(next_block, lane.OldestBlock());
    return next_block;
  }

  // Frees hours that no read needs any more.
  void Reap() {
    const uint64_t oldest_read = pins_.Oldest();
    for (Lane& lane : lanes())
      AddBytes(-lane.Reap(oldest_read));
  }

  // Bytes of memory of all hours, sealed ones that reads still need included.
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  void AddBytes(int64_t bytes) { bytes_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  const size_t count_;
  const size_t mask_;  // of lane indexes; 0: not a power of two, or 1
  const std::unique_ptr<Lane[]> lanes_;
  ReadPins pins_;
  std::atomic<int64_t> bytes_{0};
};

}  // namespace hourcell
