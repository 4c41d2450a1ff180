// SimpleHistogram: OpenTSDB's histogram. It has counts of values between pairs of bounds, and the
// counts of values below all bounds (underflow) and above them (overflow).
//
//   buckets: 2 | { lower: binary32 | upper: binary32 | count: varint } ... | underflow: varint
//            | overflow: varint
//
//   0001 00000000 3f800000 2a 00 01        42 values in 0 to 1, 1 above
//
// Integers are big-endian. A varint has 7 bits a byte, the low group first, and at most 9 bytes;
// the ninth has 8 bits. So -1 is nine ff. In the data table of OpenTSDB the ID of the codec, one
// byte, comes first.
//
// Deviations from OpenTSDB: an empty histogram, which has 4 bytes, can be read. Truncated input,
// bytes after the end, and negative counts of buckets are refused. Counts have 64 bits.
//
// Pure; bounded on any bytes; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

// The number of buckets has two bytes, and OpenTSDB reads the first bit as a sign.
inline constexpr size_t kHistogramBucketsMax = 32'767;

struct HistogramBucket {
  float lower = 0;  // not NaN; -0 is less than 0
  float upper = 0;
  int64_t count = 0;  // at least 0

  bool has_bounds_of(const HistogramBucket& other) const;
  friend bool operator==(const HistogramBucket&, const HistogramBucket&) = default;
};

// True if `a` is before `b`: by its lower bound, then by its upper one.
bool BucketComesBefore(const HistogramBucket& a, const HistogramBucket& b);

struct SimpleHistogram {
  std::vector<HistogramBucket> buckets = {};  // ascending, without equal bounds
  int64_t underflow = 0;
  int64_t overflow = 0;
  friend bool operator==(const SimpleHistogram&, const SimpleHistogram&) = default;
};

// Sorts buckets in any order. Of equal bounds, the last count stays.
void SortBuckets(std::vector<HistogramBucket>* buckets);

// REQUIRES: at most kHistogramBucketsMax buckets, as SimpleHistogram says.
void AppendSimpleHistogram(const SimpleHistogram& histogram, std::string* out);

// Parses all of `bytes`; buckets may be in any order. kInvalidArgument: cut short, bytes after the
// end, a bound that is not a number, a negative count.
absl::StatusOr<SimpleHistogram> ParseSimpleHistogram(std::string_view bytes);

// Adds the counts of `from`, bucket by bucket. A sum that exceeds 64 bits stays at the limit.
void AddHistogram(const SimpleHistogram& from, SimpleHistogram* sum);

// The middle, in binary32, of the bucket where the running count reaches `percentile` percent of
// the counts of all buckets; values below and above the bounds do not count. 0 if these counts are
// 0, and -1 unless 1 <= percentile <= 100. So 0.99 is not the 99th percentile. The error is at most
// half the width of that bucket.
double PercentileOf(const SimpleHistogram& histogram, double percentile);

}  // namespace hourcell
