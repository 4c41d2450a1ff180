// Accumulators: the arithmetic of each aggregator, one value at a time, so that a bucket (values of
// one series) and a merge (one value each of many series) share one definition.
//
//   void Add(T value);    in member order
//   T Result() const;     REQUIRES for integers: something was added
//
// Integers wrap at 64 bits; avg and dev truncate. Doubles skip NaN and give NaN without other
// values (count gives 0); first, last and the last value of diff are taken as they are. The median
// and the percentiles need all values at once: stages/rank.h.
//
// An AccumulatorColumn has one accumulator for each time of a tile, so that all calls in the loop
// over a member's column are inlined. Internal to engine/query. No locks.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "codec/cells/packed_cell.h"
#include "engine/query/aggregator.h"

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

// A comparison with NaN is false, so NaN is skipped. No branches: for unordered values the
// processor would mispredict half of the branches.
struct DoubleMin {
  double min = std::numeric_limits<double>::infinity();
  bool has_value = false;
  void Add(double value) {
    min = value < min ? value : min;
    has_value |= !std::isnan(value);
  }
  double Result() const { return has_value ? min : kNoValue; }
};

struct DoubleMax {
  double max = -std::numeric_limits<double>::infinity();
  bool has_value = false;
  void Add(double value) {
    max = value > max ? value : max;
    has_value |= !std::isnan(value);
  }
  double Result() const { return has_value ? max : kNoValue; }
};

struct IntegerCount {
  int64_t count = 0;
  void Add(int64_t /*value*/) { ++count; }
  int64_t Result() const { return count; }
};

struct DoubleCount {
  int64_t count = 0;
  void Add(double value) { count += std::isnan(value) ? 0 : 1; }
  double Result() const { return static_cast<double>(count); }
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
    // The deviation of a single value is 0, however large: inf - inf must not make it NaN.
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

struct IntegerMult {
  uint64_t product = 1;
  void Add(int64_t value) { product *= static_cast<uint64_t>(value); }
  int64_t Result() const { return static_cast<int64_t>(product); }
};

struct DoubleMult {
  double product = 1;
  int64_t count = 0;
  void Add(double value) {
    if (std::isnan(value)) return;
    product *= value;
    ++count;
  }
  double Result() const { return count == 0 ? kNoValue : product; }
};

struct IntegerSquareSum {
  IntegerSum sum;
  void Add(int64_t value) {
    const auto bits = static_cast<uint64_t>(value);
    sum.Add(static_cast<int64_t>(bits * bits));
  }
  int64_t Result() const { return sum.Result(); }
};

struct DoubleSquareSum {
  DoubleSum sum;
  void Add(double value) { sum.Add(value * value); }
  double Result() const { return sum.Result(); }
};

template <typename T>
struct FirstValue {
  T first = 0;
  bool has_first = false;
  void Add(T value) {
    if (!has_first) first = value;
    has_first = true;
  }
  T Result() const { return first; }
};

template <typename T>
struct LastValue {
  T last = 0;
  void Add(T value) { last = value; }
  T Result() const { return last; }
};

struct IntegerDiff {
  FirstValue<int64_t> first;
  LastValue<int64_t> last;
  void Add(int64_t value) {
    first.Add(value);
    last.Add(value);
  }
  int64_t Result() const {
    return static_cast<int64_t>(static_cast<uint64_t>(last.last) -
                                static_cast<uint64_t>(first.first));
  }
};

// The last value less the first that is not NaN; 0 without a later value.
struct DoubleDiff {
  double first = kNoValue;
  double last = kNoValue;
  bool has_later = false;
  void Add(double value) {
    if (std::isnan(first)) {
      first = value;
      return;
    }
    last = value;
    has_later = true;
  }
  double Result() const {
    if (std::isnan(first)) return kNoValue;
    return has_later ? last - first : 0.0;
  }
};

// Adds a row's points by their summary, as if they were added one by one, to the last bit. If the
// summary cannot give that result, returns false and adds nothing.
template <typename Accumulator>
bool AddSummaryTo(const CellSummary& /*summary*/, Accumulator* /*to*/) {
  return false;
}
inline bool AddSummaryTo(const CellSummary& summary, DoubleMin* to) {
  to->Add(summary.min.ToDouble());
  return true;
}
inline bool AddSummaryTo(const CellSummary& summary, DoubleMax* to) {
  to->Add(summary.max.ToDouble());
  return true;
}
inline bool AddSummaryTo(const CellSummary& summary, DoubleCount* to) {
  to->count += summary.count;
  return true;
}
inline bool AddSummaryTo(const CellSummary& summary, FirstValue<double>* to) {
  to->Add(summary.first.ToDouble());
  return true;
}
inline bool AddSummaryTo(const CellSummary& summary, LastValue<double>* to) {
  to->Add(summary.last.ToDouble());
  return true;
}
inline bool AddSummaryTo(const CellSummary& summary, DoubleDiff* to) {
  to->Add(summary.first.ToDouble());
  if (summary.count > 1) to->Add(summary.last.ToDouble());
  return true;
}
// A sum of doubles depends on their order: only as the first row does a summary give the sum of the
// points. Sums of integers are exact as long as no partial sum needs more than 53 bits.
inline bool AddSummaryTo(const CellSummary& summary, DoubleSum* to) {
  constexpr double kExactMax = 9007199254740992.0;  // 2^53
  if (summary.all_integer) {
    const double largest =
        std::max(std::abs(summary.min.ToDouble()), std::abs(summary.max.ToDouble()));
    if (to->sum != std::trunc(to->sum)) return false;
    if (std::abs(to->sum) + largest * summary.count > kExactMax) return false;
    to->sum += summary.sum.ToDouble();
  } else {
    if (to->count > 0) return false;
    to->sum = 0.0 + summary.sum.ToDouble();
  }
  to->count += summary.count;
  return true;
}
inline bool AddSummaryTo(const CellSummary& summary, DoubleAvg* to) {
  return AddSummaryTo(summary, &to->sum);
}

// True for the functions that AddSummaryTo supports.
inline bool UsesSummaries(Aggregator function) {
  switch (function) {
    case Aggregator::kSum:
    case Aggregator::kZimsum:
    case Aggregator::kPfsum:
    case Aggregator::kAvg:
    case Aggregator::kMin:
    case Aggregator::kMimmin:
    case Aggregator::kMax:
    case Aggregator::kMimmax:
    case Aggregator::kCount:
    case Aggregator::kFirst:
    case Aggregator::kLast:
    case Aggregator::kDiff:
      return true;
    default:
      return false;
  }
}

// One accumulator for each time of a tile.
template <typename Accumulator>
class AccumulatorColumn {
 public:
  // `members`: the maximum number of values of a time; only a RankColumn uses it.
  void Reset(size_t times, size_t /*members*/) { accumulators_.assign(times, Accumulator{}); }
  template <typename T>
  void Add(size_t i, T value) {
    accumulators_[i].Add(value);
  }
  auto Result(size_t i) const { return accumulators_[i].Result(); }

  // Memory of a time.
  static constexpr size_t kBytes = sizeof(Accumulator);

 private:
  std::vector<Accumulator> accumulators_;
};

// Calls `visit(integers, doubles)` with fresh accumulators of `aggregator`. REQUIRES: it is not
// kNone and not one by rank (stages/rank.h).
template <typename Visitor>
decltype(auto) WithAccumulators(Aggregator aggregator, Visitor&& visit) {
  switch (aggregator) {
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
    case Aggregator::kMult:
      return visit(IntegerMult{}, DoubleMult{});
    case Aggregator::kDiff:
      return visit(IntegerDiff{}, DoubleDiff{});
    case Aggregator::kSquareSum:
      return visit(IntegerSquareSum{}, DoubleSquareSum{});
    case Aggregator::kFirst:
      return visit(FirstValue<int64_t>{}, FirstValue<double>{});
    case Aggregator::kLast:
      return visit(LastValue<int64_t>{}, LastValue<double>{});
    default:
      break;
  }
  HOURCELL_CHECK(aggregator == Aggregator::kSum || aggregator == Aggregator::kZimsum ||
                 aggregator == Aggregator::kPfsum);
  return visit(IntegerSum{}, DoubleSum{});
}

}  // namespace hourcell
