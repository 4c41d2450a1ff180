#include "server/histograms/sent_histogram.h"

#include <utility>
#include <variant>

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

PointError WrongHistogram(std::string text) {
  return {.kind = PointErrorKind::kIllegalArgument, .text = std::move(text)};
}

template <typename Histogram>
Parsed<HistogramValue> ParsedValue(absl::StatusOr<Histogram> histogram) {
  if (!histogram.ok()) return WrongHistogram(std::string(MessageOf(histogram.status())));
  return HistogramValue(*std::move(histogram));
}

}  // namespace

Parsed<HistogramValue> DecodeSentValue(const HistogramCodecs& codecs,
                                       int64_t id,
                                       std::string_view base64) {
  constexpr int64_t kIdMax = 255;
  if (id < 0 || id > kIdMax) return WrongHistogram("Invalid type. Must be from 0 to 255.");
  const bool is_exponential = id == kExponentialHistogramId;
  if (!is_exponential && !codecs.has_any_id && codecs.simple != id) {
    if (!codecs.is_enabled()) return WrongHistogram(std::string(kHistogramsAreOff));
    return WrongHistogram(fmt::format("No codec found mapped to ID {}", id));
  }
  std::string bytes;
  if (!absl::Base64Unescape({base64.data(), base64.size()}, &bytes)) {
    return WrongHistogram(fmt::format("Value is not base64: {}", TextForMessage(base64)));
  }
  if (is_exponential) return ParsedValue(ParseExponentialHistogram(bytes));
  return ParsedValue(ParseSimpleHistogram(bytes));
}

std::string EncodeSentValue(const HistogramPoint& histogram) {
  std::string bytes;
  if (histogram.exponential != nullptr) {
    AppendExponentialHistogram(*histogram.exponential, &bytes);
  } else {
    AppendSimpleHistogram(*histogram.histogram, &bytes);
  }
  return EncodeSentBytes(bytes);
}

std::string EncodeSentBytes(std::string_view bytes) {
  std::string base64;
  absl::Base64Escape({bytes.data(), bytes.size()}, &base64);
  return base64;
}

HistogramPoints::HistogramPoints(std::span<const SentHistogram> sent) : tags_(sent.size()) {
  points_.reserve(sent.size());
  for (size_t i = 0; i < sent.size(); ++i) {
    for (const auto& [key, value] : sent[i].tags)
      tags_[i].push_back({.key = key, .value = value});
    HistogramPoint& point = points_.emplace_back();
    point.point.metric = sent[i].metric;
    point.point.tags = tags_[i];
    point.point.timestamp = sent[i].timestamp;
    point.point.has_any_names = sent[i].has_any_names;
    point.histogram = std::get_if<SimpleHistogram>(&sent[i].histogram);
    point.codec = sent[i].codec;
    point.exponential = std::get_if<ExponentialHistogram>(&sent[i].histogram);
  }
}

}  // namespace hourcell
