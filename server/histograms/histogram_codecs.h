// HistogramCodecs: the setting tsd.core.histograms.config.
//
//   {"net.opentsdb.core.SimpleHistogramDecoder": 0}
//
// or the path of a file with this content and a name that ends in .json. The built-in codec is the
// only one, and may also be called `simple` or `SimpleHistogramDecoder`. Without one,
// histograms are refused, as in OpenTSDB. Exponential histograms need no codec here, and always
// have the ID kExponentialHistogramId. Immutable.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <absl/status/statusor.h>

namespace hourcell {

struct HistogramCodecs {
  std::optional<uint8_t> simple = {};  // the ID of SimpleHistogram's
  // Each ID but kExponentialHistogramId is SimpleHistogram's, as in stored cells: for copies of
  // stores, which may have had another ID.
  bool has_any_id = false;

  bool is_enabled() const { return simple.has_value(); }
};

// kInvalidArgument: not JSON, an ID that is not in 0..255, that occurs twice or that is that of
// exponential histograms, another codec.
// kNotFound: no such file.
absl::StatusOr<HistogramCodecs> ParseHistogramCodecs(const std::string& setting);

}  // namespace hourcell
