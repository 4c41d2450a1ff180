// PromWriteRequest: the series of a Prometheus remote write request, one after the other: protobuf,
// inflated.
//
//   1.0   prometheus.WriteRequest          labels as strings of each series
//   2.0   io.prometheus.write.v2.Request   labels as numbers of a table of symbols; "" is the first
//
//   PromWriteRequest request(body, version);
//   while (request.Next()) {
//     if (!request.fault().empty()) ...     // "got ...; want ...": of this series alone
//     else ... request.series() ...
//   }
//   if (!request.error().empty()) ...       // the body is no such message; nothing of it counts
//
// Views point into the body. Allocates per request, not per series. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/point.h"

namespace hourcell {

enum class PromWriteVersion : uint8_t { k1, k2 };

// Bounds of what a request may make the server hold.
inline constexpr size_t kPromSymbolsMax = size_t{1} << 20;
inline constexpr size_t kPromSamplesMax = 100'000;  // of one series

struct PromSample {
  double value = 0;
  int64_t ms = 0;
};

struct PromSeries {
  std::string_view name;            // of the label __name__
  std::span<const TagView> labels;  // the others, but for empty ones, which mean no label; at most
                                    // kTagsMax, each name and value of at most kNameBytesMax bytes
  std::span<const PromSample> samples;
  size_t histograms = 0;
  size_t exemplars = 0;
};

class PromWriteRequest {
 public:
  // `message` is borrowed.
  PromWriteRequest(std::string_view message, PromWriteVersion version);

  // Reads the next series. False at the end, and after an error. `wants_text`: what fault() says is
  // read; else any text stands for a fault.
  bool Next(bool wants_text = true);

  // Of the series read: its number, from 1; why it is not to be stored, empty if it is; what it
  // says, until Next. REQUIRES: Next was true.
  size_t number() const { return number_; }
  const std::string& fault() const { return fault_; }
  const PromSeries& series() const { return series_; }

  // Why the message is none; empty if nothing is wrong.
  const std::string& error() const { return error_; }

 private:
  void ReadSymbols(std::string_view message);
  void ReadSeries(std::string_view message);
  void ReadSeriesOf1(std::string_view message);
  void ReadSeriesOf2(std::string_view message);
  void AddLabelsBySymbol(std::string_view packed);
  void AddLabel(const TagView& label);
  void AddSample(const PromSample& sample);
  template <typename Make>
  void SetFault(const Make& make);

  std::string_view rest_;  // of the message
  const PromWriteVersion version_;
  size_t number_ = 0;
  bool wants_text_ = true;
  std::string fault_;
  std::string error_;
  PromSeries series_;
  std::vector<std::string_view> symbols_;
  std::vector<TagView> labels_;
  std::vector<PromSample> samples_;
};

}  // namespace hourcell
