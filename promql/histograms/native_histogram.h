// NativeHistogram: a native histogram of Prometheus as PromQL calculates with it, and its
// arithmetic. All counts are floating-point numbers; a difference may have negative ones.
//
//   base = 2^(2^-schema)
//   positive[i]   values in (base^i, base^(i+1)]
//   zero          values in [-zero threshold, zero threshold]
//   negative[i]   values in [-base^(i+1), -base^i)
//
// Prometheus numbers the bucket with the upper bound base^i as i; numbers here are lower by 1, as
// in codec/histograms. Results are those of Prometheus 2.42: the order of additions, and the zero
// thresholds and schemas of sums. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hourcell::promql {

struct NativeBucket {
  int32_t index = 0;
  double count = 0;
  friend bool operator==(const NativeBucket&, const NativeBucket&) = default;
};

struct NativeHistogram {
  int schema = 0;
  double zero_threshold = 0;
  double zero_count = 0;
  double count = 0;
  double sum = 0;
  std::vector<NativeBucket> positive = {};  // ascending by index
  std::vector<NativeBucket> negative = {};  // ascending by index

  size_t MemoryBytes() const;
  friend bool operator==(const NativeHistogram&, const NativeHistogram&) = default;
};

// Shared: many steps have the same histogram.
using HistogramPointer = std::shared_ptr<const NativeHistogram>;

// base^index as Prometheus prints it: of 256 bounds between two powers of two, many differ from the
// exact number by up to 4 units in the last place. The bound 2^1024 is the largest double, so that
// the bucket above it has the infinities.
double NativeBound(int schema, int64_t index);

// The histogram with a lower resolution. REQUIRES: schema <= histogram.schema.
NativeHistogram WithSchema(const NativeHistogram& histogram, int schema);

// Adds `other`, or subtracts it. The result has the schema of `*histogram`, and the larger zero
// threshold, raised to the end of the bucket of either in which it lies.
// REQUIRES: other.schema >= histogram->schema.
void AddHistogram(const NativeHistogram& other, NativeHistogram* histogram);
void SubtractHistogram(const NativeHistogram& other, NativeHistogram* histogram);

// The sum of two, with the lower schema.
NativeHistogram SumOf(const NativeHistogram& left, const NativeHistogram& right);

// Multiplies all counts and the sum.
void ScaleHistogram(double factor, NativeHistogram* histogram);

// Removes buckets without values.
void RemoveEmptyBuckets(NativeHistogram* histogram);

// True if `histogram`, of a counter, began again after `previous`: a count is lower, the resolution
// is higher, or the zero threshold is lower or within a bucket with values of `previous`.
bool IsHistogramReset(const NativeHistogram& previous, const NativeHistogram& histogram);

}  // namespace hourcell::promql
