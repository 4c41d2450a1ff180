#include "codec/histograms/exponential_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/base/varint.h"

// Why a percentile is the middle of a bucket by relative distance: a value between the bounds by
// interpolation may be near one bound while the true value is near the other, and then its error
// is twice as large.

namespace hourcell {
namespace {

constexpr uint8_t kHasFloatCounts = 0x01;
constexpr uint8_t kHasSum = 0x02;
constexpr uint8_t kHasMin = 0x04;
constexpr uint8_t kHasMax = 0x08;
constexpr uint8_t kIsCumulative = 0x10;
constexpr uint8_t kBeginsAnew = 0x20;
constexpr uint8_t kKnownFlags = 0x3F;

constexpr auto kLargestIntegerCount =
    static_cast<ExponentialCount>(std::numeric_limits<uint64_t>::max());

absl::Status RefusedExponential(std::string_view fault) {
  return absl::InvalidArgumentError(fmt::format("exponential histogram: {}", fault));
}

void AppendBinary64(double number, std::string* out) {
  AppendBigEndian(std::bit_cast<uint64_t>(number), sizeof(number), out);
}

void AppendExponentialCount(bool is_float, ExponentialCount count, std::string* out) {
  if (is_float) return AppendBinary64(static_cast<double>(count), out);
  AppendVarint(static_cast<uint64_t>(count), out);
}

// The end of the span of neighbors that begins at `begin`.
size_t SpanEnd(std::span<const ExponentialBucket> buckets, size_t begin) {
  size_t end = begin + 1;
  while (end < buckets.size() && buckets[end].index - 1 == buckets[end - 1].index)
    ++end;
  return end;
}

void AppendSpans(bool is_float, std::span<const ExponentialBucket> buckets, std::string* out) {
  size_t spans = 0;
  for (size_t i = 0; i < buckets.size(); i = SpanEnd(buckets, i))
    ++spans;
  AppendVarint(spans, out);
  for (size_t begin = 0; begin < buckets.size();) {
    const size_t end = SpanEnd(buckets, begin);
    const int64_t index = buckets[begin].index;
    AppendVarint(
        begin == 0 ? ZigZag(index) : static_cast<uint64_t>(index - buckets[begin - 1].index - 1),
        out);
    AppendVarint(end - begin, out);
    for (; begin < end; ++begin)
      AppendExponentialCount(is_float, buckets[begin].count, out);
  }
}

// Takes fields from the front of the bytes.
class FieldsOfExponential {
 public:
  explicit FieldsOfExponential(std::string_view bytes) : bytes_(bytes), size_(bytes.size()) {}

  absl::StatusOr<uint64_t> TakeBytes(size_t width) {
    if (bytes_.size() < width) return CutShort();
    const uint64_t value = LoadBigEndian(bytes_.data(), width);
    bytes_.remove_prefix(width);
    return value;
  }

  absl::StatusOr<double> TakeNumber() {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t bits, TakeBytes(sizeof(double)));
    return std::bit_cast<double>(bits);
  }

  absl::StatusOr<uint64_t> TakeInteger() {
    absl::StatusOr<uint64_t> value = TakeVarint(&bytes_);
    if (!value.ok()) return CutShort();
    return value;
  }

  absl::StatusOr<ExponentialCount> TakeCount(bool is_float) {
    if (!is_float) return TakeInteger();
    return TakeNumber();
  }

  absl::StatusOr<std::optional<double>> TakeOptional(bool has) {
    if (!has) return std::nullopt;
    return TakeNumber();
  }

  std::string_view left() const { return bytes_; }

 private:
  absl::Status CutShort() const {
    return RefusedExponential(fmt::format("cut short at {} bytes", size_));
  }

  std::string_view bytes_;
  const size_t size_;
};

constexpr int64_t kNoIndex = std::numeric_limits<int64_t>::min();

// The index of the first bucket of a span; `last` is that of the bucket before it, or kNoIndex.
absl::StatusOr<int64_t> TakeFirstIndex(FieldsOfExponential* fields, int64_t last) {
  constexpr uint64_t kGapMax = uint64_t{1} << 33;
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t gap, fields->TakeInteger());
  if (gap > kGapMax) return RefusedExponential(fmt::format("expected an index, got {}", gap));
  if (last == kNoIndex) return UnZigZag(gap);
  if (gap == 0) return RefusedExponential("expected a gap between spans, got 0");
  return last + 1 + static_cast<int64_t>(gap);
}

absl::StatusOr<std::vector<ExponentialBucket>> TakeSpans(bool is_float,
                                                         FieldsOfExponential* fields) {
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  constexpr int64_t kSmallest = std::numeric_limits<int32_t>::min();
  std::vector<ExponentialBucket> buckets;
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t spans, fields->TakeInteger());
  int64_t last = kNoIndex;
  for (uint64_t span = 0; span < spans; ++span) {
    HOURCELL_ASSIGN_OR_RETURN(int64_t index, TakeFirstIndex(fields, last));
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t length, fields->TakeInteger());
    if (length == 0) return RefusedExponential("expected a span with buckets, got an empty one");
    for (uint64_t i = 0; i < length; ++i, ++index) {
      if (index < kSmallest || index > kLargest) {
        return RefusedExponential(fmt::format("expected an index of 32 bits, got {}", index));
      }
      if (buckets.size() == kExponentialBucketsMax) {
        return RefusedExponential(
            fmt::format("expected at most {} buckets, got more", kExponentialBucketsMax));
      }
      HOURCELL_ASSIGN_OR_RETURN(const ExponentialCount count, fields->TakeCount(is_float));
      buckets.push_back({.index = static_cast<int32_t>(index), .count = count});
    }
    last = index - 1;
  }
  return buckets;
}

bool IsExponentialCount(bool is_float, ExponentialCount count) {
  if (!(count >= 0) || std::signbit(count)) return false;
  if (is_float) return std::isfinite(static_cast<double>(count));
  return count <= kLargestIntegerCount && count == std::floor(count);
}

absl::Status CheckExponentialBuckets(bool is_float, std::span<const ExponentialBucket> buckets) {
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (!IsExponentialCount(is_float, buckets[i].count) || buckets[i].count == 0) {
      return RefusedExponential(fmt::format("bucket {}: expected a count above 0, got {}",
                                            buckets[i].index,
                                            static_cast<double>(buckets[i].count)));
    }
    if (i > 0 && buckets[i - 1].index >= buckets[i].index) {
      return RefusedExponential(
          fmt::format("bucket {}: expected one above {}", buckets[i].index, buckets[i - 1].index));
    }
  }
  return absl::OkStatus();
}

ExponentialCount AddedCounts(bool is_float, ExponentialCount a, ExponentialCount b) {
  return is_float ? a + b : std::min(a + b, kLargestIntegerCount);
}

// The index of the bound of that scale that is `threshold`, or the next one above it. REQUIRES:
// threshold > 0.
int64_t BoundIndexFrom(int scale, double threshold) {
  HOURCELL_DCHECK(threshold > 0);
  auto index = static_cast<int64_t>(std::ceil(std::ldexp(std::log2(threshold), scale)));
  while (ExponentialBound(scale, index) < threshold)
    ++index;
  while (ExponentialBound(scale, index - 1) >= threshold)
    --index;
  return index;
}

// Adds buckets of a finer scale into those of a coarser one, and those below `first` to `*zero`.
void CoarsenBuckets(int shift,
                    int64_t first,
                    bool is_float,
                    std::vector<ExponentialBucket>* buckets,
                    ExponentialCount* zero) {
  size_t kept = 0;
  for (const ExponentialBucket bucket : *buckets) {
    const int32_t index = bucket.index >> shift;
    if (index < first) {
      *zero = AddedCounts(is_float, *zero, bucket.count);
    } else if (kept > 0 && (*buckets)[kept - 1].index == index) {
      ExponentialCount& count = (*buckets)[kept - 1].count;
      count = AddedCounts(is_float, count, bucket.count);
    } else {
      (*buckets)[kept++] = {.index = index, .count = bucket.count};
    }
  }
  buckets->resize(kept);
}

void AddSortedBuckets(bool is_float,
                      std::span<const ExponentialBucket> from,
                      std::vector<ExponentialBucket>* sum) {
  std::vector<ExponentialBucket> merged;
  merged.reserve(std::max(from.size(), sum->size()));
  auto a = from.begin();
  auto b = sum->begin();
  while (a != from.end() || b != sum->end()) {
    if (b == sum->end() || (a != from.end() && a->index < b->index)) {
      merged.push_back(*a++);
      continue;
    }
    merged.push_back(*b++);
    if (a == from.end() || a->index != merged.back().index) continue;
    merged.back().count = AddedCounts(is_float, merged.back().count, a++->count);
  }
  *sum = std::move(merged);
}

// False if a bucket of `before` has a higher count: nothing is certain then.
bool SubtractBuckets(std::span<const ExponentialBucket> before,
                     std::vector<ExponentialBucket>* buckets) {
  size_t kept = 0;
  auto own = before.begin();
  for (ExponentialBucket bucket : *buckets) {
    if (own != before.end() && own->index < bucket.index) return false;
    if (own != before.end() && own->index == bucket.index) bucket.count -= own++->count;
    if (bucket.count < 0) return false;
    if (bucket.count > 0) (*buckets)[kept++] = bucket;
  }
  buckets->resize(kept);
  return own == before.end();
}

// The number that the header of ExponentialPercentile describes: 2 * lower / (1 + 1 / base).
double MiddleOfBucket(int scale, int32_t index) {
  const double width = std::ldexp(1.0, -scale);  // log2(base)
  return std::exp2(std::ldexp(static_cast<double>(index), -scale) + 1 -
                   std::log2(1 + std::exp2(-width)));
}

ExponentialCount ValuesInBuckets(const ExponentialHistogram& histogram) {
  ExponentialCount values = histogram.zero_count;
  for (const ExponentialBucket& bucket : histogram.positive)
    values += bucket.count;
  for (const ExponentialBucket& bucket : histogram.negative)
    values += bucket.count;
  return values;
}

// The percentile without its limits, the minimum and the maximum.
double PercentileByBuckets(const ExponentialHistogram& histogram, double percentile) {
  const auto total = static_cast<double>(ValuesInBuckets(histogram));
  ExponentialCount running = 0;
  double value = 0;
  // Takes the values of a bucket. True if they reach the percentile. In doubles, 999 of 1000 values
  // are exactly the number 99.9, as PercentileOf has it.
  const auto take = [&](ExponentialCount count, double middle) {
    running += count;
    value = middle;
    return static_cast<double>(running) * 100 / total >= percentile;
  };
  for (auto at = histogram.negative.rbegin(); at != histogram.negative.rend(); ++at)
    if (take(at->count, -MiddleOfBucket(histogram.scale, at->index))) return value;
  if (histogram.zero_count > 0 && take(histogram.zero_count, 0)) return value;
  for (const ExponentialBucket& bucket : histogram.positive)
    if (take(bucket.count, MiddleOfBucket(histogram.scale, bucket.index))) return value;
  return value;
}

// Where both have a number: `merge` of both.
template <typename Merge>
void MergeNumbers(const std::optional<double>& from,
                  std::optional<double>* sum,
                  const Merge& merge) {
  *sum = from.has_value() && sum->has_value() ? std::optional(merge(*from, **sum)) : std::nullopt;
}

}  // namespace

double ExponentialBound(int scale, int64_t index) {
  return std::exp2(std::ldexp(static_cast<double>(index), -scale));
}

double ExponentialErrorOf(int scale) {
  // (base - 1) / (base + 1), for bases near 1 and for those beyond the range of doubles.
  constexpr double kHalfOfLogarithm = 0.34657359027997264;  // ln(2) / 2
  return std::tanh(std::ldexp(kHalfOfLogarithm, -scale));
}

absl::Status CheckExponentialHistogram(const ExponentialHistogram& histogram) {
  if (histogram.scale < kExponentialScaleMin || histogram.scale > kExponentialScaleMax) {
    return RefusedExponential(fmt::format("expected a scale of {} to {}, got {}",
                                          kExponentialScaleMin, kExponentialScaleMax,
                                          histogram.scale));
  }
  const double threshold = histogram.zero_threshold;
  if (std::signbit(threshold) || !std::isfinite(threshold)) {
    return RefusedExponential(
        fmt::format("expected a zero threshold of 0 or more, got {}", histogram.zero_threshold));
  }
  const bool is_float = histogram.has_float_counts;
  for (const ExponentialCount count : {histogram.zero_count, histogram.count}) {
    if (IsExponentialCount(is_float, count)) continue;
    return RefusedExponential(
        fmt::format("expected a count of 0 or more, got {}", static_cast<double>(count)));
  }
  const size_t buckets = histogram.positive.size() + histogram.negative.size();
  if (buckets > kExponentialBucketsMax) {
    return RefusedExponential(
        fmt::format("expected at most {} buckets, got {}", kExponentialBucketsMax, buckets));
  }
  HOURCELL_RETURN_IF_ERROR(CheckExponentialBuckets(is_float, histogram.positive));
  return CheckExponentialBuckets(is_float, histogram.negative);
}

void AppendExponentialHistogram(const ExponentialHistogram& histogram, std::string* out) {
  HOURCELL_DCHECK(CheckExponentialHistogram(histogram).ok());
  const bool is_float = histogram.has_float_counts;
  unsigned flags = 0;
  for (const auto& [flag, is_set] :
       {std::pair{kHasFloatCounts, is_float}, std::pair{kHasSum, histogram.sum.has_value()},
        std::pair{kHasMin, histogram.min.has_value()},
        std::pair{kHasMax, histogram.max.has_value()},
        std::pair{kIsCumulative, histogram.is_cumulative},
        std::pair{kBeginsAnew, histogram.begins_anew}}) {
    if (is_set) flags |= flag;
  }
  out->push_back(static_cast<char>(flags));
  out->push_back(static_cast<char>(histogram.scale));
  AppendBinary64(histogram.zero_threshold, out);
  AppendExponentialCount(is_float, histogram.zero_count, out);
  AppendExponentialCount(is_float, histogram.count, out);
  for (const std::optional<double>& number : {histogram.sum, histogram.min, histogram.max})
    if (number.has_value()) AppendBinary64(*number, out);
  AppendSpans(is_float, histogram.positive, out);
  AppendSpans(is_float, histogram.negative, out);
}

absl::StatusOr<ExponentialHistogram> ParseExponentialHistogram(std::string_view bytes) {
  FieldsOfExponential fields(bytes);
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t flags, fields.TakeBytes(1));
  if ((flags & ~uint64_t{kKnownFlags}) != 0) {
    return RefusedExponential(fmt::format("expected known flags, got {:02x}", flags));
  }
  const auto has = [flags](uint8_t flag) { return (flags & flag) != 0; };
  ExponentialHistogram histogram;
  histogram.has_float_counts = has(kHasFloatCounts);
  histogram.is_cumulative = has(kIsCumulative);
  histogram.begins_anew = has(kBeginsAnew);
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t scale, fields.TakeBytes(1));
  // A byte in two's complement.
  histogram.scale = static_cast<int>(scale) - (scale < 0x80 ? 0 : 0x100);
  HOURCELL_ASSIGN_OR_RETURN(histogram.zero_threshold, fields.TakeNumber());
  const bool is_float = histogram.has_float_counts;
  HOURCELL_ASSIGN_OR_RETURN(histogram.zero_count, fields.TakeCount(is_float));
  HOURCELL_ASSIGN_OR_RETURN(histogram.count, fields.TakeCount(is_float));
  HOURCELL_ASSIGN_OR_RETURN(histogram.sum, fields.TakeOptional(has(kHasSum)));
  HOURCELL_ASSIGN_OR_RETURN(histogram.min, fields.TakeOptional(has(kHasMin)));
  HOURCELL_ASSIGN_OR_RETURN(histogram.max, fields.TakeOptional(has(kHasMax)));
  HOURCELL_ASSIGN_OR_RETURN(histogram.positive, TakeSpans(is_float, &fields));
  HOURCELL_ASSIGN_OR_RETURN(histogram.negative, TakeSpans(is_float, &fields));
  if (!fields.left().empty()) {
    return RefusedExponential(fmt::format("{} bytes after the end", fields.left().size()));
  }
  HOURCELL_RETURN_IF_ERROR(CheckExponentialHistogram(histogram));
  return histogram;
}

void CoarsenExponentialHistogram(int scale,
                                 double zero_threshold,
                                 ExponentialHistogram* histogram) {
  HOURCELL_DCHECK(scale >= kExponentialScaleMin && scale <= histogram->scale);
  const int shift = histogram->scale - scale;
  const double threshold = std::max(zero_threshold, histogram->zero_threshold);
  int64_t first = kNoIndex;
  histogram->scale = scale;
  if (std::isinf(threshold)) {
    first = std::numeric_limits<int64_t>::max();
    histogram->zero_threshold = threshold;
  } else if (threshold > 0) {
    first = BoundIndexFrom(scale, threshold);
    histogram->zero_threshold = ExponentialBound(scale, first);
  }
  const bool is_float = histogram->has_float_counts;
  CoarsenBuckets(shift, first, is_float, &histogram->positive, &histogram->zero_count);
  CoarsenBuckets(shift, first, is_float, &histogram->negative, &histogram->zero_count);
}

void AddExponentialHistogram(const ExponentialHistogram& from, ExponentialHistogram* sum) {
  ExponentialHistogram other = from;
  const int scale = std::min(from.scale, sum->scale);
  const double threshold = std::max(from.zero_threshold, sum->zero_threshold);
  const bool is_float = from.has_float_counts || sum->has_float_counts;
  other.has_float_counts = is_float;
  sum->has_float_counts = is_float;
  CoarsenExponentialHistogram(scale, threshold, &other);
  CoarsenExponentialHistogram(scale, threshold, sum);
  sum->is_cumulative = sum->is_cumulative && other.is_cumulative;
  sum->begins_anew = sum->begins_anew && other.begins_anew;
  sum->zero_count = AddedCounts(is_float, sum->zero_count, other.zero_count);
  sum->count = AddedCounts(is_float, sum->count, other.count);
  MergeNumbers(other.sum, &sum->sum, [](double a, double b) { return a + b; });
  MergeNumbers(other.min, &sum->min, [](double a, double b) { return std::min(a, b); });
  MergeNumbers(other.max, &sum->max, [](double a, double b) { return std::max(a, b); });
  AddSortedBuckets(is_float, other.positive, &sum->positive);
  AddSortedBuckets(is_float, other.negative, &sum->negative);
}

void SubtractExponentialHistogram(const ExponentialHistogram& before,
                                  ExponentialHistogram* histogram) {
  if (histogram->begins_anew) return;
  ExponentialHistogram old = before;
  ExponentialHistogram now = *histogram;
  const int scale = std::min(old.scale, now.scale);
  const double threshold = std::max(old.zero_threshold, now.zero_threshold);
  CoarsenExponentialHistogram(scale, threshold, &old);
  CoarsenExponentialHistogram(scale, threshold, &now);
  const bool is_higher = now.count >= old.count && now.zero_count >= old.zero_count &&
                         SubtractBuckets(old.positive, &now.positive) &&
                         SubtractBuckets(old.negative, &now.negative);
  if (!is_higher) return;
  now.count -= old.count;
  now.zero_count -= old.zero_count;
  now.min = std::nullopt;
  now.max = std::nullopt;
  MergeNumbers(old.sum, &now.sum, [](double was, double is) { return is - was; });
  *histogram = std::move(now);
}

double ExponentialPercentile(const ExponentialHistogram& histogram, double percentile) {
  HOURCELL_DCHECK(percentile >= 0 && percentile <= 100);
  double value = PercentileByBuckets(histogram, percentile);
  if (histogram.min.has_value() && value < *histogram.min) value = *histogram.min;
  if (histogram.max.has_value() && value > *histogram.max) value = *histogram.max;
  return value;
}

}  // namespace hourcell
