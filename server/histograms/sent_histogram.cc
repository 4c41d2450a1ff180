#include "server/histograms/sent_histogram.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

PointError WrongHistogram(std::string text) {
  return {.kind = PointErrorKind::kIllegalArgument, .text = std::move(text)};
}

}  // namespace

Parsed<SimpleHistogram> DecodeSentValue(const HistogramCodecs& codecs,
                                        int64_t id,
                                        std::string_view base64) {
  constexpr int64_t kIdMax = 255;
  if (id < 0 || id > kIdMax) return WrongHistogram("Invalid type. Must be from 0 to 255.");
  if (codecs.simple != id) {
    return WrongHistogram(fmt::format("No codec found mapped to ID {}", id));
  }
  std::string bytes;
  if (!absl::Base64Unescape({base64.data(), base64.size()}, &bytes)) {
    return WrongHistogram(fmt::format("Value is not base64: {}", TextForMessage(base64)));
  }
  absl::StatusOr<SimpleHistogram> histogram = ParseSimpleHistogram(bytes);
  if (!histogram.ok()) return WrongHistogram(std::string(MessageOf(histogram.status())));
  return *std::move(histogram);
}

HistogramPoints::HistogramPoints(std::span<const SentHistogram> sent, uint8_t codec)
    : tags_(sent.size()) {
  points_.reserve(sent.size());
  for (size_t i = 0; i < sent.size(); ++i) {
    for (const auto& [key, value] : sent[i].tags)
      tags_[i].push_back({.key = key, .value = value});
    HistogramPoint& point = points_.emplace_back();
    point.point.metric = sent[i].metric;
    point.point.tags = tags_[i];
    point.point.timestamp = sent[i].timestamp;
    point.histogram = &sent[i].histogram;
    point.codec = codec;
  }
}

}  // namespace hourcell
