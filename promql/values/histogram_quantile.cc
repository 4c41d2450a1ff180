#include "promql/values/histogram_quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hourcell::promql {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// Adds the counts of equal bounds. Some systems write a bound in two forms: "1" and "1.0".
// REQUIRES: `buckets` is sorted and not empty.
std::span<Bucket> MergeEqualBounds(std::span<Bucket> buckets) {
  size_t last = 0;
  for (size_t i = 1; i < buckets.size(); ++i) {
    if (buckets[i].upper_bound == buckets[last].upper_bound) {
      buckets[last].count += buckets[i].count;
    } else {
      buckets[++last] = buckets[i];
    }
  }
  return buckets.first(last + 1);
}

// Rates of buckets that were scraped at different moments may fall a little from one bound to the
// next.
void MakeAscending(std::span<Bucket> buckets) {
  double max = buckets.front().count;
  for (Bucket& bucket : buckets.subspan(1)) {
    if (bucket.count > max) {
      max = bucket.count;
    } else if (bucket.count < max) {
      bucket.count = max;
    }
  }
}

// The value of a rank within the bucket `index`, if values are spread evenly.
double Interpolate(std::span<const Bucket> buckets, size_t index, double rank) {
  const Bucket& bucket = buckets[index];
  if (index == 0) {
    // The lower bound of the first bucket is 0, but then its upper bound has to be greater.
    if (bucket.upper_bound <= 0) return bucket.upper_bound;
    return bucket.upper_bound * (rank / bucket.count);
  }
  const Bucket& below = buckets[index - 1];
  const double share = (rank - below.count) / (bucket.count - below.count);
  return below.upper_bound + (bucket.upper_bound - below.upper_bound) * share;
}

}  // namespace

double BucketQuantile(double quantile, std::span<Bucket> buckets) {
  if (buckets.empty() || std::isnan(quantile)) return kNotANumber;
  if (quantile < 0) return -kInfinite;
  if (quantile > 1) return kInfinite;
  const bool has_nan =
      std::ranges::any_of(buckets, [](const Bucket& b) { return std::isnan(b.upper_bound); });
  if (has_nan) return kNotANumber;  // NaN cannot be sorted
  std::ranges::stable_sort(buckets, {}, &Bucket::upper_bound);
  if (buckets.back().upper_bound != kInfinite) return kNotANumber;
  buckets = MergeEqualBounds(buckets);
  MakeAscending(buckets);
  if (buckets.size() < 2 || buckets.back().count == 0) return kNotANumber;
  const double rank = quantile * buckets.back().count;
  // By bisection, which decides where NaN counts lead to.
  const auto bounded = buckets.first(buckets.size() - 1);
  const auto found = std::partition_point(bounded.begin(), bounded.end(),
                                          [&](const Bucket& b) { return !(b.count >= rank); });
  if (found == bounded.end()) return bounded.back().upper_bound;
  return Interpolate(buckets, static_cast<size_t>(found - bounded.begin()), rank);
}

}  // namespace hourcell::promql
