#include "engine/regions/split/append_detector.h"

#include "codec/base/check.h"

// Why the largest key is watched and not the time in it: the question is whether writes arrive at
// the region's end, and layouts place the time differently. A region that is cut in the middle
// although all writes go to its end leaves a half that stays half full (HBASE-1248).

namespace hourcell {

AppendDetector::AppendDetector(size_t window, std::string_view largest)
    : window_(window), bits_((window + 63) / 64), largest_(largest) {
  HOURCELL_CHECK(window > 0);
}

void AppendDetector::Record(std::string_view key) {
  const bool is_above = key > largest_;
  if (is_above) largest_ = key;
  uint64_t& word = bits_[next_ / 64];
  const uint64_t bit = uint64_t{1} << (next_ % 64);
  if ((word & bit) != 0) --above_;
  word = is_above ? word | bit : word & ~bit;
  if (is_above) ++above_;
  next_ = next_ + 1 == window_ ? 0 : next_ + 1;
  if (recorded_ < window_) ++recorded_;
}

double AppendDetector::share() const {
  if (recorded_ < window_) return 0;
  return static_cast<double>(above_) / static_cast<double>(window_);
}

}  // namespace hourcell
