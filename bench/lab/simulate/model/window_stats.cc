#include "bench/lab/simulate/model/window_stats.h"

#include <algorithm>
#include <numeric>

namespace hourcell {

void WindowStats::Close(const CurvePoint& point, uint64_t puts, uint64_t hottest) {
  if (puts > 0) {
    shares_.push_back(static_cast<float>(static_cast<double>(hottest) / static_cast<double>(puts)));
  }
  if (closed_++ % every_ != 0) return;
  curve_.push_back(point);
  if (curve_.size() < kCurvePointsMax) return;
  for (size_t i = 0; 2 * i < curve_.size(); ++i)
    curve_[i] = curve_[2 * i];
  curve_.resize(curve_.size() / 2);
  every_ *= 2;
}

double WindowStats::mean_hot_share() const {
  if (shares_.empty()) return 0;
  return std::accumulate(shares_.begin(), shares_.end(), 0.0) / static_cast<double>(shares_.size());
}

double WindowStats::p99_hot_share() const {
  if (shares_.empty()) return 0;
  std::vector<float> shares = shares_;
  const size_t at = (shares.size() * 99) / 100;
  const auto nth = shares.begin() + static_cast<std::ptrdiff_t>(std::min(at, shares.size() - 1));
  std::nth_element(shares.begin(), nth, shares.end());
  return *nth;
}

double WindowStats::max_hot_share() const {
  return shares_.empty() ? 0 : *std::max_element(shares_.begin(), shares_.end());
}

}  // namespace hourcell
