#include "server/inputs/otlp/otlp_buckets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace hourcell {
namespace {

// Exponents of doubles. Greater values count only in the bucket +Inf.
constexpr int64_t kExponentMin = -1074;
constexpr int64_t kExponentMax = 1023;

// Greater scales change nothing for 32-bit indices.
constexpr int32_t kScaleMax = 32;
constexpr int32_t kScaleMin = -20;

// The exponent of the lower bound of bucket `index`, or of the next power of two below it.
int64_t LowerExponent(int64_t index, int32_t scale) {
  scale = std::clamp(scale, kScaleMin, kScaleMax);
  return scale >= 0 ? index >> scale : index * (int64_t{1} << -scale);
}

// The exponent of the upper bound of bucket `index`, or of the next power of two above it.
int64_t UpperExponent(int64_t index, int32_t scale) {
  return scale > 0 ? LowerExponent(index, scale) + 1 : LowerExponent(index + 1, scale);
}

double PowerOfTwo(int64_t exponent) {
  return std::ldexp(1.0, static_cast<int>(std::clamp(exponent, kExponentMin, kExponentMax)));
}

// Adds `values` to the bucket `le`; a new bucket starts at the count of the previous one.
void Cumulate(double le, uint64_t values, std::vector<OtlpBucket>* buckets) {
  if (!buckets->empty() && buckets->back().le == le) {
    buckets->back().count += values;
  } else {
    const uint64_t before = buckets->empty() ? 0 : buckets->back().count;
    buckets->push_back({.le = le, .count = before + values});
  }
}

// The index range [begin, end) from the first to the last count that is not 0.
struct Extent {
  size_t begin = 0;
  size_t end = 0;
};
Extent ExtentOf(const std::vector<uint64_t>& counts) {
  const auto is_value = [](uint64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, is_value);
  if (first == counts.end()) return {};
  const auto last = std::find_if(counts.rbegin(), counts.rend(), is_value);
  return {.begin = static_cast<size_t>(first - counts.begin()),
          .end = static_cast<size_t>(counts.rend() - last)};
}

}  // namespace

std::string BucketsOfBounds(const OtlpPoint& point,
                            std::vector<OtlpBucket>* buckets,
                            bool wants_text) {
  constexpr const char* kAnyText = "?";
  buckets->clear();
  if (point.counts.empty() && point.bounds.empty()) return "";
  if (point.counts.size() != point.bounds.size() + 1) {
    if (!wants_text) return kAnyText;
    return fmt::format(
        "expected one count more than bounds, got {} counts of buckets with {} bounds",
        point.counts.size(), point.bounds.size());
  }
  for (size_t i = 0; i < point.bounds.size(); ++i) {
    const bool rises = i == 0 || point.bounds[i - 1] < point.bounds[i];
    if (!rises || std::isnan(point.bounds[i])) {
      if (!wants_text) return kAnyText;
      return fmt::format("expected bounds that rise, got the bound {} after {}", point.bounds[i],
                         i == 0 ? 0 : point.bounds[i - 1]);
    }
    if (!std::isinf(point.bounds[i])) Cumulate(point.bounds[i], point.counts[i], buckets);
  }
  return "";
}

void BucketsOfPowers(const OtlpPoint& point, std::vector<OtlpBucket>* buckets) {
  buckets->clear();
  const Extent below = ExtentOf(point.negative.counts);
  for (size_t i = below.end; i > below.begin; --i) {
    const int64_t index = int64_t{point.negative.offset} + static_cast<int64_t>(i) - 1;
    Cumulate(-PowerOfTwo(LowerExponent(index, point.scale)), point.negative.counts[i - 1], buckets);
  }
  if (point.zero_count > 0) Cumulate(point.zero_threshold, point.zero_count, buckets);
  const Extent above = ExtentOf(point.positive.counts);
  for (size_t i = above.begin; i < above.end; ++i) {
    const int64_t index = int64_t{point.positive.offset} + static_cast<int64_t>(i);
    const int64_t exponent = UpperExponent(index, point.scale);
    if (exponent > kExponentMax) break;
    Cumulate(PowerOfTwo(exponent), point.positive.counts[i], buckets);
  }
}

}  // namespace hourcell
