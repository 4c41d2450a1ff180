#include "engine/rows/histogram_cell.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/strings.h"

namespace hourcell {

void AppendHistogramCell(uint8_t codec, const SimpleHistogram& histogram, std::string* out) {
  out->push_back(static_cast<char>(codec));
  AppendSimpleHistogram(histogram, out);
}

absl::StatusOr<SimpleHistogram> ParseHistogramCell(std::string_view bytes) {
  if (bytes.empty()) return absl::DataLossError("histogram: empty; expected the ID of a codec");
  absl::StatusOr<SimpleHistogram> histogram = ParseSimpleHistogram(bytes.substr(1));
  if (histogram.ok()) return histogram;
  return absl::DataLossError(
      fmt::format("{}: {}", MessageOf(histogram.status()), ToHex(bytes.substr(0, 64))));
}

}  // namespace hourcell
