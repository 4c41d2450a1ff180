// WindowStats: the load of a table over time: per window the share of puts to the busiest region,
// and curves of regions, memory and files. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hourcell {

struct CurvePoint {
  uint64_t time_ms = 0;  // the end of the window
  uint64_t regions = 0;
  uint64_t empty_regions = 0;
  uint64_t memory_bytes = 0;
  uint64_t file_bytes = 0;
  uint64_t files = 0;
};

class WindowStats {
 public:
  // Curves are thinned out to fewer points than this.
  static constexpr size_t kCurvePointsMax = 256;

  // Ends a window with `puts` puts, `hottest` of these to one region. Windows without puts have no
  // share.
  void Close(const CurvePoint& point, uint64_t puts, uint64_t hottest);

  // The mean of the busiest region's shares, their 99th percentile and their maximum.
  double mean_hot_share() const;
  double p99_hot_share() const;
  double max_hot_share() const;
  size_t windows() const { return shares_.size(); }

  std::span<const CurvePoint> curve() const { return curve_; }

 private:
  std::vector<float> shares_;
  std::vector<CurvePoint> curve_;
  uint64_t every_ = 1;  // one window in `every_` is in the curve
  uint64_t closed_ = 0;
};

}  // namespace hourcell
