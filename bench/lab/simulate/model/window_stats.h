// WindowStats: how a table fares over time: in each window the share of the puts that went to the
// busiest region, and curves of regions, memory and files. Thread-compatible.

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
  // Curves are thinned out to at most so many points.
  static constexpr size_t kCurvePointsMax = 256;

  // A window ended in which `puts` came, `hottest` of them to one region. Windows without puts have
  // no share.
  void Close(const CurvePoint& point, uint64_t puts, uint64_t hottest);

  // Of the busiest region's shares: the mean, and that which only one window in a hundred was
  // above.
  double mean_hot_share() const;
  double p99_hot_share() const;
  double max_hot_share() const;
  size_t windows() const { return shares_.size(); }

  std::span<const CurvePoint> curve() const { return curve_; }

 private:
  std::vector<float> shares_;
  std::vector<CurvePoint> curve_;
  uint64_t every_ = 1;  // of so many windows one is in the curve
  uint64_t closed_ = 0;
};

}  // namespace hourcell
