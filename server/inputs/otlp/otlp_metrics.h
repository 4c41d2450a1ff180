// The content of an OTLP metrics request, as protobuf or JSON: resources and data points, passed to
// a sink one after the other.
//
//   resource ── metric ── data point        attributes of a resource: for all data points
//
// Scopes, exemplars, and minima and maxima of other kinds than exponential histograms are ignored.
// Views point into the request or the reader's buffers, and are valid until the sink returns.

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

// Limits of the memory that a request may use.
inline constexpr size_t kOtlpAttributesMax = 256;  // of a resource, and of a data point
inline constexpr size_t kOtlpBucketsMax = 4096;    // of a data point, and its quantiles

// Attributes as tags: strings unchanged, booleans as true and false, numbers in decimal. Empty ones
// are omitted; arrays, maps and bytes are omitted and counted.
class OtlpAttributes {
 public:
  void Clear();
  void Add(std::string_view key, std::string_view text);  // both are borrowed
  void AddOwned(std::string_view key, std::string text);
  // Stores a text until Clear, for a key or a value; returns "" if there are too many attributes.
  std::string_view Own(std::string text);
  void Drop() { ++dropped_; }

  std::span<const TagView> tags() const { return tags_; }
  size_t dropped() const { return dropped_; }
  bool too_many() const { return too_many_; }  // the excess is omitted

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
  uint64_t temporality = 0;   // 1 = delta, 2 = cumulative; used by some kinds only
  bool is_monotonic = false;  // of a sum
  // Only in TakeMetric. Of a long description at least kMetadataHelpMax bytes are read.
  std::string_view unit = {};
  std::string_view description = {};
};

// Buckets of an exponential histogram: counts[i] counts (base^(offset+i), base^(offset+i+1)], where
// base = 2^(2^-scale).
struct OtlpBuckets {
  int32_t offset = 0;
  std::vector<uint64_t> counts;
};

struct OtlpQuantile {
  double quantile = 0;
  double value = 0;
};

// Each kind uses some of the members.
struct OtlpPoint {
  OtlpAttributes attributes;
  uint64_t time_ns = 0;  // since 1970
  bool has_no_value = false;
  size_t exemplars = 0;
  bool too_many_buckets = false;  // more than kOtlpBucketsMax; the excess is omitted

  std::optional<Value> value;  // of a gauge and a sum

  uint64_t count = 0;  // of histograms and summaries
  std::optional<double> sum;

  std::vector<double> bounds;    // of a histogram: upper bounds of the buckets but for the last
  std::vector<uint64_t> counts;  // of its buckets

  int32_t scale = 0;  // of an exponential histogram
  std::optional<double> min;
  std::optional<double> max;
  uint64_t zero_count = 0;
  double zero_threshold = 0;
  OtlpBuckets positive;
  OtlpBuckets negative;

  std::vector<OtlpQuantile> quantiles;  // of a summary

  void Clear();
};

// A number as in Prometheus labels: the shortest exact decimal text without an exponent, "NaN",
// "+Inf" or "-Inf".
std::string OtlpNumberText(double number);

class OtlpSink {
 public:
  virtual ~OtlpSink() = default;
  // Begins a resource: the following points belong to this one.
  virtual void TakeResource(const OtlpAttributes& attributes) = 0;
  // Counts an item, with or without data points, as a step of the work. False: stop.
  virtual bool Step() { return true; }
  // False: stop.
  virtual bool TakePoint(const OtlpMetric& metric, const OtlpPoint& point) = 0;
  // Ends a metric of a known kind, after its data points, if there are any.
  virtual void TakeMetric(const OtlpMetric& /*metric*/) {}
};

}  // namespace hourcell
