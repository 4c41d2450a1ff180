#include "server/inputs/otlp/otlp_exponential.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr uint64_t kCumulative = 2;  // the temporality
constexpr int32_t kShiftMax = 62;    // of indices

// Converts the buckets; each index is divided by 2^shift. Returns the fault, or "".
std::string TakeOtlpBuckets(const OtlpBuckets& sent,
                            int32_t shift,
                            std::vector<ExponentialBucket>* buckets) {
  for (size_t i = 0; i < sent.counts.size(); ++i) {
    if (sent.counts[i] == 0) continue;
    const int64_t index = (int64_t{sent.offset} + static_cast<int64_t>(i)) >> shift;
    const auto count = static_cast<ExponentialCount>(sent.counts[i]);
    if (index > std::numeric_limits<int32_t>::max()) {
      return fmt::format("expected an index of 32 bits, got {}", index);
    }
    if (!buckets->empty() && buckets->back().index == index) {
      buckets->back().count += count;
    } else {
      buckets->push_back({.index = static_cast<int32_t>(index), .count = count});
    }
  }
  return "";
}

}  // namespace

std::string ExponentialOf(const OtlpMetric& metric,
                          const OtlpPoint& point,
                          ExponentialHistogram* histogram) {
  const int32_t scale = std::min<int32_t>(point.scale, kExponentialScaleMax);
  const auto shift =
      static_cast<int32_t>(std::min<int64_t>(int64_t{point.scale} - scale, kShiftMax));
  *histogram = {.scale = scale,
                .is_cumulative = metric.temporality == kCumulative,
                .zero_threshold = point.zero_threshold,
                .zero_count = static_cast<ExponentialCount>(point.zero_count),
                .count = static_cast<ExponentialCount>(point.count),
                .sum = point.sum,
                .min = point.min,
                .max = point.max};
  std::string fault = TakeOtlpBuckets(point.positive, shift, &histogram->positive);
  if (fault.empty()) fault = TakeOtlpBuckets(point.negative, shift, &histogram->negative);
  if (!fault.empty()) return fault;
  const absl::Status status = CheckExponentialHistogram(*histogram);
  return status.ok() ? "" : std::string(MessageOf(status));
}

}  // namespace hourcell
