// The stored form of a histogram, the value under its key (annotation_key.h): OpenTSDB's, the ID of
// the codec and the bytes of the codec (codec/histograms/).
//
//   2a 0001 00000000 3f800000 2a 00 01        SimpleHistogram, codec 42
//   fe 12 00 0000000000000000 01 06 ...       ExponentialHistogram
//
// The ID of an exponential histogram is always 254, fe. All other IDs are SimpleHistogram's, so
// that a changed ID (tsd.core.histograms.config) leaves older histograms readable. Pure; bounded on
// any bytes; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/histograms/histogram_value.h"

namespace hourcell {

// REQUIRES: `codec` is not kExponentialHistogramId.
void AppendHistogramCell(uint8_t codec, const SimpleHistogram& histogram, std::string* out);

// REQUIRES: CheckExponentialHistogram succeeds.
void AppendExponentialCell(const ExponentialHistogram& histogram, std::string* out);

// kDataLoss: no ID, or the histogram does not decode.
absl::StatusOr<HistogramValue> ParseHistogramCell(std::string_view bytes);

}  // namespace hourcell
