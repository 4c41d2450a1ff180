#include "codec/histograms/histogram_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

PointError IllegalHistogram(std::string text) {
  return {.kind = PointErrorKind::kIllegalArgument, .text = std::move(text)};
}

PointError ImproperBucket(std::string_view entry) {
  return IllegalHistogram(fmt::format("Improperly formatted bucket: {}", TextForMessage(entry)));
}

Parsed<float> ParseBound(std::string_view text) {
  const Parsed<double> bound = ParseDouble(text);
  if (!bound.ok()) return bound.error();
  if (std::isnan(*bound)) {
    return IllegalHistogram(fmt::format("Bound is not a number: {}", TextForMessage(text)));
  }
  return static_cast<float>(*bound);
}

// Adds "<key>=<count>". Returns the fault; its text is empty if the entry is good.
PointError AddEntry(std::string_view entry, SimpleHistogram* histogram) {
  const size_t equals = entry.find('=');
  if (equals == std::string_view::npos || entry.find('=', equals + 1) != std::string_view::npos) {
    return ImproperBucket(entry);
  }
  const std::string_view key = entry.substr(0, equals);
  const Parsed<int64_t> count = ParseInteger(entry.substr(equals + 1));
  if (!count.ok()) return count.error();
  if (key == "u" || key == "U") {
    histogram->underflow = *count;
  } else if (key == "o" || key == "O") {
    histogram->overflow = *count;
  } else {
    const Parsed<HistogramBucket> bucket = ParseBucketText(key, *count);
    if (!bucket.ok()) return bucket.error();
    histogram->buckets.push_back(*bucket);
  }
  return {};
}

// The shortest digits that read back as this float, in the form of Java's Float.toString, which is
// that of its doubles.
std::string JavaFloat(float value) {
  if (!std::isfinite(value)) return JavaDouble(value);
  char digits[kJavaDoubleBytesMax];
  const std::to_chars_result printed =
      std::to_chars(std::begin(digits), std::end(digits), value, std::chars_format::scientific);
  double same = 0;
  std::from_chars(std::begin(digits), printed.ptr, same);
  return JavaDouble(same);
}

}  // namespace

Parsed<HistogramBucket> ParseBucketText(std::string_view bounds, int64_t count) {
  const size_t comma = bounds.find(',');
  if (comma == std::string_view::npos || bounds.find(',', comma + 1) != std::string_view::npos) {
    return ImproperBucket(bounds);
  }
  const Parsed<float> lower = ParseBound(bounds.substr(0, comma));
  if (!lower.ok()) return lower.error();
  const Parsed<float> upper = ParseBound(bounds.substr(comma + 1));
  if (!upper.ok()) return upper.error();
  if (count < 0) {
    return IllegalHistogram(fmt::format("Negative count {} of bucket: {}", count, bounds));
  }
  return HistogramBucket{.lower = *lower, .upper = *upper, .count = count};
}

Parsed<SimpleHistogram> ParseHistogramText(std::string_view text) {
  if (text.empty()) return IllegalHistogram("empty histogram value");
  SimpleHistogram histogram;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(':'));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    PointError fault = AddEntry(entry, &histogram);
    if (!fault.text.empty()) return fault;
  }
  SortBuckets(&histogram.buckets);
  if (histogram.buckets.size() <= kHistogramBucketsMax) return histogram;
  return IllegalHistogram(fmt::format("Too many buckets: expected at most {}, got {}",
                                      kHistogramBucketsMax, histogram.buckets.size()));
}

std::string PercentileSeriesName(std::string_view metric, double percentile) {
  return fmt::format("{}_pct_{}", metric, JavaFloat(static_cast<float>(percentile)));
}

std::string BucketSeriesName(std::string_view metric, const HistogramBucket& bucket) {
  return fmt::format("{}_{}_{}", metric, JavaFloat(bucket.lower), JavaFloat(bucket.upper));
}

std::string UnderflowSeriesName(std::string_view metric) {
  return fmt::format("{}_UNDERFLOW", metric);
}

std::string OverflowSeriesName(std::string_view metric) {
  return fmt::format("{}_OVERFLOW", metric);
}

std::string ExponentialSeriesName(std::string_view metric,
                                  int scale,
                                  int32_t index,
                                  bool is_negative) {
  const double near = ExponentialBound(scale, index);
  const double far = ExponentialBound(scale, int64_t{index} + 1);
  return fmt::format("{}_{}_{}", metric, JavaDouble(is_negative ? -far : near),
                     JavaDouble(is_negative ? -near : far));
}

std::string ZeroSeriesName(std::string_view metric) {
  return fmt::format("{}_ZERO", metric);
}

std::string CountSeriesName(std::string_view metric) {
  return fmt::format("{}_COUNT", metric);
}

std::string SumSeriesName(std::string_view metric) {
  return fmt::format("{}_SUM", metric);
}

}  // namespace hourcell
