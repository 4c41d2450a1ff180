// BucketsView: the buckets of one series, borrowed: all floating point.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hourcell {

struct BucketsView {
  std::span<const int64_t> t;
  std::span<const uint64_t> v;  // bits of a binary64

  size_t size() const { return t.size(); }
  bool empty() const { return t.empty(); }
  double ToDouble(size_t i) const { return std::bit_cast<double>(v[i]); }
};

}  // namespace hourcell
