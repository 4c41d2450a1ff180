// Accumulators: the arithmetic of each aggregator, one value at a time, so that a bucket (values of
// one series) and a merge (one value each of many series) share one definition.
//
//   void Add(T value);    in member order
//   T Result() const;     REQUIRES for integers: something was added
//
// Integers wrap at 64 bits; avg and dev truncate. Doubles skip NaN and give NaN if nothing is left.
// Internal to engine/query. No allocation, no locks.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include "codec/base/check.h"
#include "engine/query/query_spec.h"

namespace hourcell {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

struct IntegerSum {
  uint64_t sum = 0;  // unsigned, because a sum wraps as Java's does
  void Add(int64_t value) { sum += static_cast<uint64_t>(value); }
  int64_t Result() const { return static_cast<int64_t>(sum); }
};

struct DoubleSum {
  double sum = 0;
  int64_t count = 0;
  void Add(double value) {
    if (std::isnan(value)) return;
    sum += value;
    ++count;
  }
  double Result() const { return count == 0 ? kNoValue : sum; }
};

struct IntegerAvg {
  IntegerSum sum;
  int64_t count = 0;
  void Add(int64_t value) {
    sum.Add(value);
    ++count;
  }
  int64_t Result() const {
    HOURCELL_DCHECK(count > 0);
    return sum.Result() / count;
  }
};

struct DoubleAvg {
  DoubleSum sum;
  void Add(double value) { sum.Add(value); }
  double Result() const { return sum.sum / static_cast<double>(sum.count); }  // 0.0 / 0 is NaN
};

struct IntegerMin {
  int64_t min = INT64_MAX;
  void Add(int64_t value) { min = std::min(min, value); }
  int64_t Result() const { return min; }
};

struct IntegerMax {
  int64_t max = INT64_MIN;
  void Add(int64_t value) { max = std::max(max, value); }
  int64_t Result() const { return max; }
};

// A comparison with NaN is false: as the first value NaN is replaced, as a later one it is skipped.
struct DoubleMin {
  double min = kNoValue;
  void Add(double value) {
    if (value < min || std::isnan(min)) min = value;
  }
  double Result() const { return min; }
};

struct DoubleMax {
  double max = kNoValue;
  void Add(double value) {
    if (value > max || std::isnan(max)) max = value;
  }
  double Result() const { return max; }
};

struct IntegerCount {
  int64_t count = 0;
  void Add(int64_t /*value*/) { ++count; }
  int64_t Result() const { return count; }
};

struct DoubleCount {
  int64_t count = 0;
  void Add(double value) { count += std::isnan(value) ? 0 : 1; }
  double Result() const { return count == 0 ? kNoValue : static_cast<double>(count); }
};

// Population deviation by Welford's method: one pass, and the digits OpenTSDB gives.
struct DoubleDev {
  double mean = 0;
  double m2 = 0;  // sum of squared differences from the mean
  int64_t count = 0;
  void Add(double value) {
    if (std::isnan(value)) return;
    ++count;
    const double before = mean;
    mean += (value - before) / static_cast<double>(count);
    // A single value has no deviation, however large: inf - inf must not make it NaN.
    if (count > 1) m2 += (value - before) * (value - mean);
  }
  double Result() const {
    return count == 0 ? kNoValue : std::sqrt(m2 / static_cast<double>(count));
  }
};

struct IntegerDev {
  DoubleDev dev;
  void Add(int64_t value) { dev.Add(static_cast<double>(value)); }
  int64_t Result() const {
    // Java's cast saturates: the deviation of the two extreme integers is 2^63.
    const double result = dev.Result();
    return result >= 0x1p63 ? INT64_MAX : static_cast<int64_t>(result);
  }
};

// Calls `visit(integers, doubles)` with fresh accumulators of `aggregator`.
// REQUIRES: aggregator != kNone.
template <typename Visitor>
decltype(auto) WithAccumulators(Aggregator aggregator, Visitor&& visit) {
  switch (aggregator) {
    case Aggregator::kSum:
    case Aggregator::kZimsum:
      return visit(IntegerSum{}, DoubleSum{});
    case Aggregator::kMin:
    case Aggregator::kMimmin:
      return visit(IntegerMin{}, DoubleMin{});
    case Aggregator::kMax:
    case Aggregator::kMimmax:
      return visit(IntegerMax{}, DoubleMax{});
    case Aggregator::kAvg:
      return visit(IntegerAvg{}, DoubleAvg{});
    case Aggregator::kCount:
      return visit(IntegerCount{}, DoubleCount{});
    case Aggregator::kDev:
      return visit(IntegerDev{}, DoubleDev{});
    case Aggregator::kNone:
      break;
  }
  HOURCELL_CHECK(aggregator != Aggregator::kNone);
  std::abort();  // not reached: every other aggregator has returned
}

}  // namespace hourcell
