#include "codec/histograms/simple_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

constexpr size_t kBoundBytes = 4;
constexpr size_t kBucketCountBytes = 2;

// The bits of a bound as a number in the order of bounds, as Java's Float.compare has it.
uint32_t BoundOrder(float bound) {
  constexpr uint32_t kSign = 0x8000'0000;
  const auto bits = std::bit_cast<uint32_t>(bound);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

std::pair<uint32_t, uint32_t> BucketOrder(const HistogramBucket& bucket) {
  return {BoundOrder(bucket.lower), BoundOrder(bucket.upper)};
}

void AppendKryoVarint(int64_t value, std::string* out) {
  constexpr int kBytesOfSevenBits = 8;
  auto bits = static_cast<uint64_t>(value);
  for (int i = 0; i < kBytesOfSevenBits; ++i) {
    if (bits < 0x80) {
      out->push_back(static_cast<char>(bits));
      return;
    }
    out->push_back(static_cast<char>(bits | 0x80));
    bits >>= 7;
  }
  out->push_back(static_cast<char>(bits));
}

absl::Status Refused(std::string_view fault) {
  return absl::InvalidArgumentError(fmt::format("histogram: {}", fault));
}

// Takes fields from the front of the bytes.
class FieldsOfHistogram {
 public:
  explicit FieldsOfHistogram(std::string_view bytes) : bytes_(bytes), size_(bytes.size()) {}

  absl::StatusOr<uint64_t> Take(size_t width) {
    if (bytes_.size() < width) return CutShort();
    const uint64_t value = LoadBigEndian(bytes_.data(), width);
    bytes_.remove_prefix(width);
    return value;
  }

  absl::StatusOr<int64_t> TakeCount() {
    constexpr unsigned kLastShift = 56;
    uint64_t bits = 0;
    for (unsigned shift = 0; shift <= kLastShift; shift += 7) {
      HOURCELL_ASSIGN_OR_RETURN(const uint64_t byte, Take(1));
      if (shift == kLastShift) return static_cast<int64_t>(bits | byte << shift);
      bits |= (byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return static_cast<int64_t>(bits);
  }

  absl::StatusOr<float> TakeBound() {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t bits, Take(kBoundBytes));
    const auto bound = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(bound)) return Refused("expected a bound, got NaN");
    return bound;
  }

  std::string_view left() const { return bytes_; }

 private:
  absl::Status CutShort() const { return Refused(fmt::format("cut short at {} bytes", size_)); }

  std::string_view bytes_;
  const size_t size_;
};

absl::StatusOr<HistogramBucket> TakeBucket(FieldsOfHistogram* fields) {
  HistogramBucket bucket;
  HOURCELL_ASSIGN_OR_RETURN(bucket.lower, fields->TakeBound());
  HOURCELL_ASSIGN_OR_RETURN(bucket.upper, fields->TakeBound());
  HOURCELL_ASSIGN_OR_RETURN(bucket.count, fields->TakeCount());
  if (bucket.count >= 0) return bucket;
  return Refused(fmt::format("expected a count of 0 or more, got {}", bucket.count));
}

int64_t AtMostTheLimit(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace

bool HistogramBucket::has_bounds_of(const HistogramBucket& other) const {
  return BucketOrder(*this) == BucketOrder(other);
}

bool BucketComesBefore(const HistogramBucket& a, const HistogramBucket& b) {
  return BucketOrder(a) < BucketOrder(b);
}

void SortBuckets(std::vector<HistogramBucket>* buckets) {
  std::ranges::stable_sort(*buckets, BucketComesBefore);
  size_t kept = 0;
  for (size_t i = 0; i < buckets->size(); ++i) {
    const bool is_last_of_equals =
        i + 1 == buckets->size() || !(*buckets)[i].has_bounds_of((*buckets)[i + 1]);
    if (is_last_of_equals) (*buckets)[kept++] = (*buckets)[i];
  }
  buckets->resize(kept);
}

void AppendSimpleHistogram(const SimpleHistogram& histogram, std::string* out) {
  HOURCELL_DCHECK(histogram.buckets.size() <= kHistogramBucketsMax);
  HOURCELL_DCHECK(std::ranges::is_sorted(histogram.buckets, BucketComesBefore));
  AppendBigEndian(histogram.buckets.size(), kBucketCountBytes, out);
  for (const HistogramBucket& bucket : histogram.buckets) {
    AppendBigEndian(std::bit_cast<uint32_t>(bucket.lower), kBoundBytes, out);
    AppendBigEndian(std::bit_cast<uint32_t>(bucket.upper), kBoundBytes, out);
    AppendKryoVarint(bucket.count, out);
  }
  AppendKryoVarint(histogram.underflow, out);
  AppendKryoVarint(histogram.overflow, out);
}

absl::StatusOr<SimpleHistogram> ParseSimpleHistogram(std::string_view bytes) {
  FieldsOfHistogram fields(bytes);
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t count, fields.Take(kBucketCountBytes));
  if (count > kHistogramBucketsMax) {
    return Refused(fmt::format("expected at most {} buckets, got {}", kHistogramBucketsMax, count));
  }
  SimpleHistogram histogram;
  histogram.buckets.reserve(std::min<size_t>(count, bytes.size() / (2 * kBoundBytes)));
  for (uint64_t i = 0; i < count; ++i) {
    HOURCELL_ASSIGN_OR_RETURN(const HistogramBucket bucket, TakeBucket(&fields));
    histogram.buckets.push_back(bucket);
  }
  HOURCELL_ASSIGN_OR_RETURN(histogram.underflow, fields.TakeCount());
  HOURCELL_ASSIGN_OR_RETURN(histogram.overflow, fields.TakeCount());
  if (!fields.left().empty()) {
    return Refused(fmt::format("{} bytes after the end", fields.left().size()));
  }
  SortBuckets(&histogram.buckets);
  return histogram;
}

void AddHistogram(const SimpleHistogram& from, SimpleHistogram* sum) {
  std::vector<HistogramBucket> merged;
  merged.reserve(std::max(from.buckets.size(), sum->buckets.size()));
  auto a = from.buckets.begin();
  auto b = sum->buckets.begin();
  while (a != from.buckets.end() || b != sum->buckets.end()) {
    if (b == sum->buckets.end() || (a != from.buckets.end() && BucketComesBefore(*a, *b))) {
      merged.push_back(*a++);
      continue;
    }
    merged.push_back(*b++);
    if (a == from.buckets.end() || !a->has_bounds_of(merged.back())) continue;
    merged.back().count = AtMostTheLimit(merged.back().count, a++->count);
  }
  sum->buckets = std::move(merged);
  sum->underflow = AtMostTheLimit(sum->underflow, from.underflow);
  sum->overflow = AtMostTheLimit(sum->overflow, from.overflow);
}

double PercentileOf(const SimpleHistogram& histogram, double percentile) {
  if (!(percentile >= 1 && percentile <= 100)) return -1;
  double total = 0;
  for (const HistogramBucket& bucket : histogram.buckets)
    total += static_cast<double>(bucket.count);
  if (total == 0) return 0;
  double running = 0;
  for (const HistogramBucket& bucket : histogram.buckets) {
    running += static_cast<double>(bucket.count);
    if (running * 100 / total >= percentile) return (bucket.lower + bucket.upper) / 2;
  }
  return 0;
}

}  // namespace hourcell
