// Rank: the aggregators that pick a value by its position among the sorted ones: the median and the
// percentiles, with the positions of Apache commons-math3, which OpenTSDB uses.
//
//   n sorted values x[0..n-1], q = percent / 100
//   median   x[n / 2], the upper of two middles
//   LEGACY   position q (n + 1)                   all percentiles of floating point; pN of integers
//   R-3      position rint(n q), 0 if q <= 0.5/n  epNr3 of integers
//   R-7      position 1 + (n - 1) q               epNr7 of integers
//   a position below 1 is x[0], from n on x[n-1], else between x[floor - 1] and x[floor], linearly
//
// A percentile of integers is cut towards zero. Internal to engine/query. Pure.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/query/aggregator.h"

namespace hourcell {

// The value at the rank; reorders `values`. REQUIRES: not empty; no NaN.
int64_t SelectRank(const Rank& rank, std::span<int64_t> values);
double SelectRank(const Rank& rank, std::span<double> values);

// The values of a tile of times, up to `members` for each time, and their ranks. Used like an
// AccumulatorColumn (accumulator.h); NaN is skipped; without other values the result is NaN.
template <typename T>
class RankColumn {
 public:
  explicit RankColumn(const Rank& rank) : rank_(rank) {}

  void Reset(size_t times, size_t members) {
    members_ = members;
    counts_.assign(times, 0);
    values_.resize(times * members);
  }
  void Add(size_t i, T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return;
    }
    values_[i * members_ + counts_[i]++] = value;
  }
  // REQUIRES for integers: a value was added. Call it once.
  T Result(size_t i) {
    if constexpr (std::is_floating_point_v<T>) {
      if (counts_[i] == 0) return std::nan("");
    }
    return SelectRank(rank_, std::span<T>(values_).subspan(i * members_, counts_[i]));
  }

 private:
  const Rank rank_;
  size_t members_ = 0;
  std::vector<size_t> counts_;  // of each time
  std::vector<T> values_;       // `members_` places for each time
};

}  // namespace hourcell
