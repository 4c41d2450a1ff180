// HistogramJson: the body of POST /api/histogram, one object or an array of objects.
//
//   {"metric": "latency", "timestamp": 1356998400, "tags": {"host": "web01"}, "overflow": 1,
//    "buckets": {"0,1": 42, "1,5": 24}}
//   {"metric": "latency", "timestamp": 1356998400, "tags": {"host": "web01"}, "id": 42,
//    "value": "<base64>"}
//
// `value` wins over `buckets`; `id` is 0 if it is missing, and 254 for an exponential histogram.
// Unknown fields are ignored. Thread-compatible.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "codec/text/point_error.h"
#include "server/histograms/histogram_codecs.h"
#include "server/histograms/sent_histogram.h"

namespace hourcell {

// A histogram of a body that was refused. `index` counts the objects of the body from 0.
struct HistogramFault {
  size_t index = 0;
  PointError error;
};

struct HistogramBody {
  size_t size = 0;                     // objects
  std::vector<SentHistogram> good;     // in the body's order
  std::vector<size_t> index_of;        // of each good one
  std::vector<HistogramFault> faults;  // ascending by index
};

// Errors of a whole body: "Missing request content", "Unable to parse the given JSON", "No
// datapoints found in content".
absl::StatusOr<HistogramBody> ParseHistogramBody(const HistogramCodecs& codecs,
                                                 const std::string& body);

}  // namespace hourcell
