// What a request of OpenTelemetry's protocol for metrics says, whether it came as protobuf or as
// JSON: its resources and data points, one after the other, handed to a sink.
//
//   resource ── metric ── data point        a resource's attributes are of all of its data points
//
// Scopes, units, descriptions, exemplars, minima and maxima are left out. Views point into the
// request, or into what its reader holds, until the sink returns.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/point.h"

namespace hourcell {

// Bounds of what a request may make the server hold.
inline constexpr size_t kOtlpAttributesMax = 256;  // of one resource, and of one data point
inline constexpr size_t kOtlpBucketsMax = 4096;    // of one data point, and its quantiles

// Attributes as tags: strings as they are, booleans as true and false, numbers in decimal. Those
// that are empty are left out; arrays, maps and bytes are left out and counted.
class OtlpAttributes {
 public:
  void Clear();
  void Add(std::string_view key, std::string_view text);  // both are borrowed
  void AddOwned(std::string_view key, std::string text);
  // Keeps a text until Clear, as a key or a value; "" if no more attributes are taken.
  std::string_view Own(std::string text);
  void Drop() { ++dropped_; }

  std::span<const TagView> tags() const { return tags_; }
  size_t dropped() const { return dropped_; }
  bool too_many() const { return too_many_; }  // the others are left out

 private:
  std::vector<TagView> tags_;
  std::deque<std::string> texts_;
  size_t dropped_ = 0;
  bool too_many_ = false;
};

struct OtlpMetric {
  enum class Kind : uint8_t { kGauge, kSum, kHistogram, kExponentialHistogram, kSummary };

  std::string_view name;
  Kind kind = Kind::kGauge;
  uint64_t temporality = 0;  // 1 = delta, 2 = cumulative; others are none. Of kinds that have it
};

// Buckets of an exponential histogram: counts[i] is of (base^(offset+i), base^(offset+i+1)], where
// base = 2^(2^-scale).
struct OtlpBuckets {
  int32_t offset = 0;
  std::vector<uint64_t> counts;
};

struct OtlpQuantile {
  double quantile = 0;
  double value = 0;
};

// Of each kind the members that it has.
struct OtlpPoint {
  OtlpAttributes attributes;
  uint64_t time_ns = 0;  // since 1970
  bool has_no_value = false;
  size_t exemplars = 0;
  bool too_many_buckets = false;  // more than kOtlpBucketsMax; the others are left out

  std::optional<Value> value;  // of a gauge and a sum

  uint64_t count = 0;  // of histograms and summaries
  std::optional<double> sum;

  std::vector<double> bounds;    // of a histogram: upper bounds of the buckets but for the last
  std::vector<uint64_t> counts;  // of its buckets

  int32_t scale = 0;  // of an exponential histogram
  uint64_t zero_count = 0;
  double zero_threshold = 0;
  OtlpBuckets positive;
  OtlpBuckets negative;

  std::vector<OtlpQuantile> quantiles;  // of a summary

  void Clear();
};

// A number as Prometheus writes it in a label: the shortest decimal text without an exponent that
// means the same, "NaN", "+Inf" or "-Inf".
std::string OtlpNumberText(double number);

class OtlpSink {
 public:
  virtual ~OtlpSink() = default;
  // What follows is of this resource.
  virtual void TakeResource(const OtlpAttributes& attributes) = 0;
  // Counts a step of the reader's work: an item that may have no data point. False: no more is
  // wanted.
  virtual bool Step() { return true; }
  // False: no more is wanted.
  virtual bool TakePoint(const OtlpMetric& metric, const OtlpPoint& point) = 0;
};

}  // namespace hourcell
