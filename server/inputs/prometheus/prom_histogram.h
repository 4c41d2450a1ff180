// A native histogram of a remote write request, of either version:
//
//   count, zero count      integers or floats, and with them all counts
//   spans                  offset and length of runs of buckets; the first offset is the number of
//                          the first bucket, a later one the number of buckets in between
//   deltas or counts       of the buckets of all spans: integers as differences, or floats
//
// Bucket i of Prometheus ends at base^i, and is bucket i - 1 of an ExponentialHistogram.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/histograms/exponential_histogram.h"

namespace hourcell {

struct PromHistogram {
  int64_t ms = 0;
  bool is_stale = false;  // the sum is the stale marker: the series ended
  std::string fault;      // "expected ..., got ..."; "" if the histogram is good
  ExponentialHistogram histogram = {};

  size_t buckets() const { return histogram.positive.size() + histogram.negative.size(); }
};

// Reads a histogram. A counter, which is any histogram but a gauge, is cumulative. Buckets without
// values are left out. Throws protozero's exceptions for bytes that are not a message.
PromHistogram ReadPromHistogram(std::string_view message);

}  // namespace hourcell
