#include "promql/histograms/histogram_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace hourcell::promql {
namespace {

// If all other buckets are on one side of 0, the bucket around 0 begins or ends at 0.
ValueRange WithoutEmptySide(ValueRange bucket, const NativeHistogram& histogram) {
  if (bucket.lower >= 0 || bucket.upper <= 0) return bucket;
  if (histogram.negative.empty() && !histogram.positive.empty()) {
    bucket.lower = 0;
  } else if (histogram.positive.empty() && !histogram.negative.empty()) {
    bucket.upper = 0;
  }
  return bucket;
}

// How many values are at or below a bound: found bucket by bucket.
class RankOfBound final {
 public:
  explicit RankOfBound(double bound) : bound_(bound) {}

  // `before`: the count of the buckets before.
  void Visit(const ValueRange& bucket, double before) {
    if (rank_.has_value()) return;
    if (bucket.lower >= bound_) {
      rank_ = before;
    } else if (bucket.upper > bound_) {
      rank_ = before + bucket.count * (bound_ - bucket.lower) / (bucket.upper - bucket.lower);
    }
  }
  bool is_known() const { return rank_.has_value(); }
  double Rank(double count) const { return !rank_.has_value() || *rank_ > count ? count : *rank_; }

 private:
  const double bound_;
  std::optional<double> rank_;
};

}  // namespace

void VisitBuckets(const NativeHistogram& histogram,
                  absl::FunctionRef<bool(const ValueRange&)> visit) {
  const double zero = histogram.zero_threshold;
  for (auto bucket = histogram.negative.rbegin(); bucket != histogram.negative.rend(); ++bucket) {
    const double near = -NativeBound(histogram.schema, bucket->index);
    const ValueRange range{.lower = -NativeBound(histogram.schema, int64_t{bucket->index} + 1),
                           .upper = std::min(near, -zero),
                           .has_lower = true,
                           .has_upper = false,
                           .count = bucket->count};
    if (!visit(range)) return;
  }
  if (histogram.zero_count > 0) {
    const ValueRange range{.lower = -zero,
                           .upper = zero,
                           .has_lower = true,
                           .has_upper = true,
                           .count = histogram.zero_count};
    if (!visit(range)) return;
  }
  for (const NativeBucket& bucket : histogram.positive) {
    const double near = NativeBound(histogram.schema, bucket.index);
    const ValueRange range{.lower = std::max(near, zero),
                           .upper = NativeBound(histogram.schema, int64_t{bucket.index} + 1),
                           .has_lower = false,
                           .has_upper = true,
                           .count = bucket.count};
    if (!visit(range)) return;
  }
}

double NativeQuantile(double quantile, const NativeHistogram& histogram) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (quantile < 0) return -kInfinity;
  if (quantile > 1) return kInfinity;
  if (histogram.count == 0 || std::isnan(quantile)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double rank = quantile * histogram.count;
  double count = 0;
  ValueRange found;
  VisitBuckets(histogram, [&](const ValueRange& bucket) {
    found = bucket;
    count += bucket.count;
    return !(count >= rank);
  });
  found = WithoutEmptySide(found, histogram);
  // The sum of the counts may be inexact.
  count = std::min(count, histogram.count);
  // Values that are NaN are in no bucket.
  if (count < rank) return found.upper;
  const double rank_in_bucket = rank - (count - found.count);
  return found.lower + (found.upper - found.lower) * (rank_in_bucket / found.count);
}

double NativeFraction(double lower, double upper, const NativeHistogram& histogram) {
  if (histogram.count == 0 || std::isnan(lower) || std::isnan(upper)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (lower >= upper) return 0;
  RankOfBound low(lower);
  RankOfBound high(upper);
  double before = 0;
  VisitBuckets(histogram, [&](const ValueRange& bucket) {
    const ValueRange range = WithoutEmptySide(bucket, histogram);
    low.Visit(range, before);
    high.Visit(range, before);
    before += bucket.count;
    return !(low.is_known() && high.is_known());
  });
  return (high.Rank(histogram.count) - low.Rank(histogram.count)) / histogram.count;
}

}  // namespace hourcell::promql
