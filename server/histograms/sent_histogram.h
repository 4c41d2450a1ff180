// SentHistogram: a histogram as a client sent it, with its names, its value, and its form for the
// store. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/histograms/histogram_value.h"
#include "codec/point.h"
#include "codec/text/number.h"
#include "engine/append.h"
#include "server/histograms/histogram_codecs.h"

namespace hourcell {

// Owns its texts.
struct SentHistogram {
  std::string metric;
  Timestamp timestamp;
  std::vector<std::pair<std::string, std::string>> tags;
  uint8_t codec = 0;  // the ID
  HistogramValue histogram;
  bool has_any_names = false;  // as in PointView
};

// OpenTSDB's message while no codec is set.
inline constexpr std::string_view kHistogramsAreOff =
    "Histogram storage has not been enabled. Check the 'tsd.core.histograms.config' configuration.";

// The histogram of base64 text, which has the bytes of the codec without its ID. That with
// kExponentialHistogramId is exponential, and needs no codec in `codecs`. Errors
// (kIllegalArgument): kHistogramsAreOff, an ID outside of 0..255 or of another codec, text that is
// not base64, bytes that do not decode.
Parsed<HistogramValue> DecodeSentValue(const HistogramCodecs& codecs,
                                       int64_t id,
                                       std::string_view base64);

// The inverse of DecodeSentValue. `bytes` are those of the codec without its ID.
std::string EncodeSentValue(const HistogramPoint& histogram);
std::string EncodeSentBytes(std::string_view bytes);

// Histograms as Points::AppendHistograms takes them. Borrows `sent`.
class HistogramPoints {
 public:
  explicit HistogramPoints(std::span<const SentHistogram> sent);
  HistogramPoints(const HistogramPoints&) = delete;
  HistogramPoints& operator=(const HistogramPoints&) = delete;

  std::span<const HistogramPoint> points() const { return points_; }

 private:
  std::vector<std::vector<TagView>> tags_;  // of each point, which borrows them
  std::vector<HistogramPoint> points_;
};

}  // namespace hourcell
