// ExponentialHistogram: OpenTelemetry's exponential histogram and Prometheus' native one. It has
// counts of values in buckets whose bounds are powers of a base, base = 2^(2^-scale):
//
//   positive[i]   values in (base^i, base^(i+1)]
//   zero          values in [-zero threshold, zero threshold]
//   negative[i]   values in [-base^(i+1), -base^i)
//
// Prometheus numbers the bucket with the upper bound base^i as i, and so its numbers are higher by
// 1. Buckets without values are left out.
//
//   flags: 1 | scale: 1 | zero threshold: D | zero count: C | count: C | [sum: D] | [min: D]
//            | [max: D] | positive: B | negative: B
//   B = spans: V | { gap | length: V | count: C ... } ...
//
//   D       binary64, big-endian
//   C       V, or D if the counts are floats
//   V       a varint (base/bytes.h)
//   flags   01 counts are floats  02 sum  04 min  08 max  10 cumulative  20 begins anew
//   scale   signed
//   span    `length` buckets in a row, each with values
//   gap     of the first span: the index of its first bucket, a zigzag V; of each other span: the
//           number of buckets without values before it, a V
//
//   1200 0000000000000000 01 06 4025000000000000 01000202 03 00
//     scale 0, 1 value of 0, 6 values with the sum 10.5: 2 in (1, 2] and 3 in (2, 4]; cumulative
//
// A sum of histograms has the lowest of their scales. Its zero threshold is the highest of theirs,
// rounded up to a bound of that scale; the values of buckets below it count as zero. So counts are
// exact, and a sum does not depend on the order of its parts.
//
// Pure; bounded on any bytes; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

// The ID of these histograms in cells. No other codec may have it.
inline constexpr uint8_t kExponentialHistogramId = 254;

// At the lowest scale, two buckets have all positive numbers.
inline constexpr int kExponentialScaleMin = -11;
inline constexpr int kExponentialScaleMax = 20;
inline constexpr size_t kExponentialBucketsMax = 32'767;  // positive and negative

// Holds each integer of 64 bits and each binary64: histograms have integer counts or float counts.
using ExponentialCount = long double;
static_assert(std::numeric_limits<ExponentialCount>::digits >= 64);

struct ExponentialBucket {
  int32_t index = 0;
  ExponentialCount count = 0;  // above 0
  friend bool operator==(const ExponentialBucket&, const ExponentialBucket&) = default;
};

struct ExponentialHistogram {
  int scale = 0;
  bool has_float_counts = false;
  // True: it counts all values since the process began, as a counter. False: those since the
  // histogram before.
  bool is_cumulative = false;
  bool begins_anew = false;  // cumulative, and the counts before it are those of another process
  double zero_threshold = 0;
  ExponentialCount zero_count = 0;
  ExponentialCount count = 0;  // as sent; values that are not numbers are in no bucket
  std::optional<double> sum = {};
  std::optional<double> min = {};
  std::optional<double> max = {};
  std::vector<ExponentialBucket> positive = {};  // ascending by index
  std::vector<ExponentialBucket> negative = {};  // ascending by index
  friend bool operator==(const ExponentialHistogram&, const ExponentialHistogram&) = default;
};

// base^index: the lower bound of a bucket. 0 and infinity beyond the range of doubles.
double ExponentialBound(int scale, int64_t index);

// (base - 1) / (base + 1): the largest relative error of ExponentialPercentile for a value in a
// positive or a negative bucket, such as 0.0054 at scale 6 and 0.33 at scale 0.
double ExponentialErrorOf(int scale);

// kInvalidArgument: a scale, a threshold, a count or an order of buckets that
// AppendExponentialHistogram does not take.
absl::Status CheckExponentialHistogram(const ExponentialHistogram& histogram);

// REQUIRES: CheckExponentialHistogram succeeds.
void AppendExponentialHistogram(const ExponentialHistogram& histogram, std::string* out);

// Parses all of `bytes`. kInvalidArgument: cut short, bytes after the end, or as
// CheckExponentialHistogram.
absl::StatusOr<ExponentialHistogram> ParseExponentialHistogram(std::string_view bytes);

// Gives the histogram a lower scale, and a zero threshold of at least `zero_threshold`, rounded up
// to a bound of that scale. REQUIRES: kExponentialScaleMin <= scale <= histogram->scale.
void CoarsenExponentialHistogram(int scale, double zero_threshold, ExponentialHistogram* histogram);

// Adds the counts of `from`. The sum, the minimum and the maximum stay only if both have them. An
// integer count that exceeds 64 bits stays at the limit.
void AddExponentialHistogram(const ExponentialHistogram& from, ExponentialHistogram* sum);

// Makes a cumulative histogram the increase since `before`, without minimum and maximum. If it
// begins anew, or has a lower count than `before`, the process began again: it stays as it is.
void SubtractExponentialHistogram(const ExponentialHistogram& before,
                                  ExponentialHistogram* histogram);

// The value below which `percentile` percent of the values in buckets are, by nearest rank: 0 in
// the zero bucket, and otherwise the value of the bucket whose relative distance to both bounds is
// the same, 2 * lower * upper / (lower + upper), but within the minimum and the maximum. 0 without
// values. The relative error is at most ExponentialErrorOf(scale); in the zero bucket, the error is
// at most the zero threshold. REQUIRES: 0 <= percentile <= 100.
double ExponentialPercentile(const ExponentialHistogram& histogram, double percentile);

}  // namespace hourcell
