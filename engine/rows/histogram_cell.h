// The stored form of a histogram, the value under its key (annotation_key.h): OpenTSDB's, the ID of
// the codec and the bytes of the codec (codec/histograms/simple_histogram.h).
//
//   2a 0001 00000000 3f800000 2a 00 01        codec 42
//
// All IDs have one codec here, so that a changed ID (tsd.core.histograms.config) leaves older
// histograms readable. Pure; bounded on any bytes; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/histograms/simple_histogram.h"

namespace hourcell {

void AppendHistogramCell(uint8_t codec, const SimpleHistogram& histogram, std::string* out);

// kDataLoss: no ID, or the histogram does not decode.
absl::StatusOr<SimpleHistogram> ParseHistogramCell(std::string_view bytes);

}  // namespace hourcell
