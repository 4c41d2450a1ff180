// BusyRate: which share of a region's recent writes was blocked. The state of HBase's
// BusyRegionSplitPolicy, kept outside the policy so that the policy is a pure function.
// Thread-compatible; one for each region, called at each split check.

#pragma once

#include <cstdint>

namespace hourcell {

class BusyRate {
 public:
  // Counts are totals since any moment; only their growth counts.
  struct Counts {
    uint64_t writes = 0;
    uint64_t blocked = 0;
  };

  BusyRate(uint64_t open_ms, Counts counts)
      : open_ms_(open_ms), baseline_ms_(open_ms), baseline_(counts) {}

  // The share of blocked writes in [0, 1]: 0 in the first window of a region's life; at the end of
  // a window the share in it, which becomes the new baseline; between, the last window's share and
  // the share since, weighted by time. REQUIRES: window_ms > 0, now_ms not below the last call's.
  double Update(uint64_t now_ms, Counts counts, uint64_t window_ms);

 private:
  uint64_t open_ms_;
  uint64_t baseline_ms_;
  Counts baseline_;
  double baseline_rate_ = 0;
};

}  // namespace hourcell
