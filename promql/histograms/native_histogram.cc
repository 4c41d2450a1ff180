#include "promql/histograms/native_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "codec/base/check.h"

namespace hourcell::promql {
namespace {

// By how many units in the last place the exact bound 2^(i / 256) is above Prometheus': '1' is 0.
constexpr std::string_view kUnitsAbove =
    "1111112111211111112311222222222211211121122211221122102211221122"
    "1111112222332132112111211112111111121011213311221222112121332222"
    "2121223322322122222222323233323311221121223321332233212232332232"
    "2243223233433343333333444455435422322333324422333243223333543344";
constexpr int kTableSchema = 8;

struct ZeroBucket {
  double count = 0;
  double threshold = 0;
};

enum class Walked : uint8_t { kAll, kRaised };

// Adds the buckets below `zero->threshold`. If it is within a bucket with values, raises it to the
// end of that bucket.
Walked AddToZero(std::span<const NativeBucket> buckets, int schema, ZeroBucket* zero) {
  for (const NativeBucket& bucket : buckets) {
    if (NativeBound(schema, bucket.index) >= zero->threshold) break;
    zero->count += bucket.count;
    const double upper = NativeBound(schema, int64_t{bucket.index} + 1);
    if (upper <= zero->threshold) continue;
    if (bucket.count == 0) break;
    zero->threshold = upper;
    return Walked::kRaised;
  }
  return Walked::kAll;
}

// The zero bucket that the histogram would have with a threshold of at least `threshold`.
ZeroBucket ZeroWithThreshold(const NativeHistogram& histogram, double threshold) {
  HOURCELL_DCHECK(threshold >= histogram.zero_threshold);
  if (threshold == histogram.zero_threshold) return {histogram.zero_count, threshold};
  for (;;) {
    ZeroBucket zero{.count = histogram.zero_count, .threshold = threshold};
    AddToZero(histogram.positive, histogram.schema, &zero);
    // The positive buckets count again if the negative ones raised the threshold.
    if (AddToZero(histogram.negative, histogram.schema, &zero) == Walked::kAll) return zero;
    threshold = zero.threshold;
  }
}

void RemoveBelow(double threshold, int schema, std::vector<NativeBucket>* buckets) {
  const auto is_below = [&](const NativeBucket& bucket) {
    return NativeBound(schema, bucket.index) < threshold;
  };
  buckets->erase(buckets->begin(), std::ranges::find_if_not(*buckets, is_below));
}

// Gives both the same zero threshold: changes the histogram, and returns the zero count of `other`.
double ReconcileZeros(const NativeHistogram& other, NativeHistogram* histogram) {
  ZeroBucket zero{.count = other.zero_count, .threshold = other.zero_threshold};
  while (zero.threshold != histogram->zero_threshold) {
    if (histogram->zero_threshold > zero.threshold) {
      zero = ZeroWithThreshold(other, histogram->zero_threshold);
    }
    if (zero.threshold > histogram->zero_threshold) {
      const ZeroBucket own = ZeroWithThreshold(*histogram, zero.threshold);
      histogram->zero_count = own.count;
      histogram->zero_threshold = own.threshold;
      RemoveBelow(own.threshold, histogram->schema, &histogram->positive);
      RemoveBelow(own.threshold, histogram->schema, &histogram->negative);
      RemoveEmptyBuckets(histogram);
    }
  }
  return zero.count;
}

// The buckets with a lower resolution, without those that end at or below `threshold`.
std::vector<NativeBucket> Merged(std::span<const NativeBucket> buckets,
                                 int from_schema,
                                 int to_schema,
                                 double threshold) {
  HOURCELL_DCHECK(to_schema <= from_schema);
  const int shift = from_schema - to_schema;
  std::vector<NativeBucket> merged;
  for (const NativeBucket& bucket : buckets) {
    const int32_t index = bucket.index >> shift;
    if (NativeBound(to_schema, int64_t{index} + 1) <= threshold) continue;
    if (merged.empty() || merged.back().index != index) {
      merged.push_back({.index = index, .count = bucket.count});
    } else {
      merged.back().count += bucket.count;
    }
  }
  return merged;
}

// Adds the counts of `added`, each times `sign`.
void AddBuckets(std::span<const NativeBucket> added,
                double sign,
                std::vector<NativeBucket>* buckets) {
  std::vector<NativeBucket> all;
  all.reserve(buckets->size() + added.size());
  auto own = buckets->begin();
  for (const NativeBucket& bucket : added) {
    for (; own != buckets->end() && own->index < bucket.index; ++own)
      all.push_back(*own);
    const bool is_shared = own != buckets->end() && own->index == bucket.index;
    const double count = sign * bucket.count;
    all.push_back({.index = bucket.index, .count = is_shared ? own++->count + count : count});
  }
  all.insert(all.end(), own, buckets->end());
  *buckets = std::move(all);
}

void Combine(const NativeHistogram& other, double sign, NativeHistogram* histogram) {
  histogram->zero_count += sign * ReconcileZeros(other, histogram);
  histogram->count += sign * other.count;
  histogram->sum += sign * other.sum;
  const auto add = [&](std::span<const NativeBucket> from, std::vector<NativeBucket>* to) {
    AddBuckets(Merged(from, other.schema, histogram->schema, histogram->zero_threshold), sign, to);
  };
  add(other.positive, &histogram->positive);
  add(other.negative, &histogram->negative);
}

// True if a bucket has fewer values than in `previous`.
bool HasLowerCount(std::span<const NativeBucket> previous, std::span<const NativeBucket> buckets) {
  auto own = buckets.begin();
  for (const NativeBucket& before : previous) {
    while (own != buckets.end() && own->index < before.index)
      ++own;
    const bool is_shared = own != buckets.end() && own->index == before.index;
    if (is_shared ? own->count < before.count : before.count != 0) return true;
  }
  return false;
}

}  // namespace

size_t NativeHistogram::MemoryBytes() const {
  return sizeof(NativeHistogram) + (positive.size() + negative.size()) * sizeof(NativeBucket);
}

double NativeBound(int schema, int64_t index) {
  constexpr int64_t kLastExponent = 1024;
  constexpr int64_t kFar = 100'000;  // beyond the range of doubles
  int64_t exponent = 0;
  double fraction = 1;
  if (schema <= 0) {
    exponent = std::clamp(index, -kFar, kFar) * (int64_t{1} << -schema);
  } else {
    exponent = index >> schema;
    const int64_t part = index - (exponent << schema);
    const double exact =
        static_cast<double>(std::exp2(std::ldexp(static_cast<long double>(part), -schema)));
    const int64_t place = (part << kTableSchema) >> schema;
    const bool is_in_table = (place << schema) == (part << kTableSchema);
    const int units = is_in_table ? kUnitsAbove[static_cast<size_t>(place)] - '1' : 0;
    fraction = exact - units * std::numeric_limits<double>::epsilon();
  }
  if (fraction == 1 && exponent == kLastExponent) return std::numeric_limits<double>::max();
  return std::ldexp(fraction, static_cast<int>(std::clamp(exponent, -kFar, kFar)));
}

NativeHistogram WithSchema(const NativeHistogram& histogram, int schema) {
  HOURCELL_DCHECK(schema <= histogram.schema);
  if (schema == histogram.schema) return histogram;
  return {.schema = schema,
          .zero_threshold = histogram.zero_threshold,
          .zero_count = histogram.zero_count,
          .count = histogram.count,
          .sum = histogram.sum,
          .positive = Merged(histogram.positive, histogram.schema, schema, /*threshold=*/0),
          .negative = Merged(histogram.negative, histogram.schema, schema, /*threshold=*/0)};
}

void AddHistogram(const NativeHistogram& other, NativeHistogram* histogram) {
  HOURCELL_DCHECK(other.schema >= histogram->schema);
  Combine(other, 1, histogram);
}

void SubtractHistogram(const NativeHistogram& other, NativeHistogram* histogram) {
  HOURCELL_DCHECK(other.schema >= histogram->schema);
  Combine(other, -1, histogram);
}

NativeHistogram SumOf(const NativeHistogram& left, const NativeHistogram& right) {
  const bool is_left_finer = right.schema < left.schema;
  NativeHistogram sum = is_left_finer ? right : left;
  AddHistogram(is_left_finer ? left : right, &sum);
  return sum;
}

void ScaleHistogram(double factor, NativeHistogram* histogram) {
  histogram->zero_count *= factor;
  histogram->count *= factor;
  histogram->sum *= factor;
  for (NativeBucket& bucket : histogram->positive)
    bucket.count *= factor;
  for (NativeBucket& bucket : histogram->negative)
    bucket.count *= factor;
}

void RemoveEmptyBuckets(NativeHistogram* histogram) {
  const auto is_empty = [](const NativeBucket& bucket) { return bucket.count == 0; };
  std::erase_if(histogram->positive, is_empty);
  std::erase_if(histogram->negative, is_empty);
}

bool IsHistogramReset(const NativeHistogram& previous, const NativeHistogram& histogram) {
  if (histogram.count < previous.count || histogram.schema > previous.schema ||
      histogram.zero_threshold < previous.zero_threshold) {
    return true;
  }
  const ZeroBucket zero = ZeroWithThreshold(previous, histogram.zero_threshold);
  if (zero.threshold != histogram.zero_threshold || histogram.zero_count < zero.count) return true;
  const auto merge = [&](std::span<const NativeBucket> buckets, int schema) {
    return Merged(buckets, schema, histogram.schema, histogram.zero_threshold);
  };
  return HasLowerCount(merge(previous.positive, previous.schema),
                       merge(histogram.positive, histogram.schema)) ||
         HasLowerCount(merge(previous.negative, previous.schema),
                       merge(histogram.negative, histogram.schema));
}

}  // namespace hourcell::promql
