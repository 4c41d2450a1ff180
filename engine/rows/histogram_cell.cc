#include "engine/rows/histogram_cell.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

absl::StatusOr<HistogramValue> ParseOfCodec(uint8_t codec, std::string_view bytes) {
  if (codec == kExponentialHistogramId) return ParseExponentialHistogram(bytes);
  return ParseSimpleHistogram(bytes);
}

}  // namespace

void AppendHistogramCell(uint8_t codec, const SimpleHistogram& histogram, std::string* out) {
  HOURCELL_DCHECK(codec != kExponentialHistogramId);
  out->push_back(static_cast<char>(codec));
  AppendSimpleHistogram(histogram, out);
}

void AppendExponentialCell(const ExponentialHistogram& histogram, std::string* out) {
  HOURCELL_DCHECK(CheckExponentialHistogram(histogram).ok());
  out->push_back(static_cast<char>(kExponentialHistogramId));
  AppendExponentialHistogram(histogram, out);
}

absl::StatusOr<HistogramValue> ParseHistogramCell(std::string_view bytes) {
  if (bytes.empty()) return absl::DataLossError("histogram: empty; expected the ID of a codec");
  absl::StatusOr<HistogramValue> histogram =
      ParseOfCodec(static_cast<uint8_t>(bytes.front()), bytes.substr(1));
  if (histogram.ok()) return histogram;
  return absl::DataLossError(
      fmt::format("{}: {}", MessageOf(histogram.status()), ToHex(bytes.substr(0, 64))));
}

}  // namespace hourcell
