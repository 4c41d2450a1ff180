// The JSON of /api/histogram, as a client sends and receives it. Thread-safe.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "engine/append.h"

namespace hourcell {

// The histograms as a body of /api/histogram, a JSON array, with the IDs of their codecs. REQUIRES:
// IsNumberOfMagnitude of their times.
std::string HistogramsBody(std::span<const HistogramPoint> histograms);

// The same for histograms of a spool: `cells` has the ID and the bytes of each.
std::string HistogramsBody(std::span<const PointView> points,
                           std::span<const std::string_view> cells);

// True for the answer of a server without the setting tsd.core.histograms.config. It comes with
// 503, but a later try has the same answer.
bool AreHistogramsOff(std::string_view body);

// Reads the answer to HistogramsBody with `details` and lists the refused histograms, out of
// `count`. kDataLoss: the answer is invalid; kUnavailable: the store of the server failed.
absl::Status ParseHistogramReply(std::string_view body,
                                 size_t count,
                                 std::vector<RefusedPoint>* refused);

}  // namespace hourcell
