// PromWriteRequest: parses a Prometheus remote write request series by series, from inflated
// protobuf.
//
//   1.0   prometheus.WriteRequest          each series has its labels as strings
//   2.0   io.prometheus.write.v2.Request   labels are indices of a symbol table; "" is the first
//
//   PromWriteRequest request(body, version);
//   while (request.Next()) {
//     if (!request.fault().empty()) ...     // "expected ..., got ..."; only this series is faulty
//     else ... request.series() ...
//   }
//   if (!request.error().empty()) ...       // the body is malformed; nothing counts
//
// Version 1 sends metadata of metrics, often in a message without series; version 2 in series.
//
// Views point into the body. Allocates per request, not per series. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/point.h"
#include "server/inputs/metric_metadata.h"
#include "server/inputs/prometheus/prom_histogram.h"

namespace hourcell {

enum class PromWriteVersion : uint8_t { k1, k2 };

// Limits of the memory that a request may use.
inline constexpr size_t kPromSymbolsMax = size_t{1} << 20;
inline constexpr size_t kPromSamplesMax = 100'000;          // per series
inline constexpr size_t kPromHistogramsMax = 10'000;        // per series
inline constexpr size_t kPromBucketsMax = size_t{1} << 18;  // of all histograms of a series

struct PromSample {
  double value = 0;
  int64_t ms = 0;
};

struct PromSeries {
  std::string_view name;            // the value of __name__
  std::span<const TagView> labels;  // the other labels except empty ones, which mean absence; at
                                    // most kTagsMax, each name and value of at most kNameBytesMax
                                    // bytes
  std::span<const PromSample> samples;
  std::span<const PromHistogram> histograms;
  size_t exemplars = 0;
  std::optional<MetricMetadata> metadata;  // of version 2, with the name of the metric as sent
};

class PromWriteRequest {
 public:
  // `message` is borrowed.
  PromWriteRequest(std::string_view message, PromWriteVersion version);

  // Parses the next series. False at the end, and after an error. `wants_text`: the caller reads
  // fault(); otherwise a fault has an arbitrary text.
  bool Next(bool wants_text = true);

  // The series parsed: its number, from 1; its fault, or ""; its content, valid until Next.
  // REQUIRES: Next returned true.
  size_t number() const { return number_; }
  const std::string& fault() const { return fault_; }
  const PromSeries& series() const { return series_; }

  // The metadata of version 1 that was parsed, with names as sent. Complete after the last Next.
  std::span<const MetricMetadata> metadata() const { return metadata_; }

  // Why the message is malformed; empty if it is not.
  const std::string& error() const { return error_; }

 private:
  void ReadSymbols(std::string_view message);
  void ReadSeries(std::string_view message);
  void ReadSeriesOf1(std::string_view message);
  void ReadSeriesOf2(std::string_view message);
  void ReadMetadataOf1(std::string_view message);
  MetricMetadata ReadMetadataOf2(std::string_view message);
  void AddLabelsBySymbol(std::string_view packed);
  void AddLabel(const TagView& label);
  void AddSample(const PromSample& sample);
  void AddHistogram(PromHistogram histogram);
  template <typename Make>
  void SetFault(const Make& make);

  std::string_view rest_;  // rest of the message
  const PromWriteVersion version_;
  size_t number_ = 0;
  bool wants_text_ = true;
  std::string fault_;
  std::string error_;
  PromSeries series_;
  std::vector<std::string_view> symbols_;
  std::vector<TagView> labels_;
  std::vector<PromSample> samples_;
  std::vector<PromHistogram> histograms_;
  size_t buckets_ = 0;  // of the histograms
  std::vector<MetricMetadata> metadata_;
};

}  // namespace hourcell
