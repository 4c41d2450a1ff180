// Converts the buckets of OpenTelemetry histograms to those of Prometheus' classic histograms: each
// counts values up to its bound, `le`. The last bucket, le=+Inf, is not included: it is the count
// of the data point. No I/O.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/inputs/otlp/otlp_metrics.h"

namespace hourcell {

struct OtlpBucket {
  double le = 0;
  uint64_t count = 0;  // number of values up to `le`
  friend bool operator==(const OtlpBucket&, const OtlpBucket&) = default;
};

// Buckets of a histogram with explicit bounds. Returns the fault, "expected ..., got ...", or "": a
// histogram has one count more than bounds, or no counts, and its bounds increase. Without
// `wants_text`, a fault has an arbitrary text.
std::string BucketsOfBounds(const OtlpPoint& point,
                            std::vector<OtlpBucket>* buckets,
                            bool wants_text = true);

// Buckets of an exponential histogram. The bounds are powers of two at any scale, so that the
// series stay the same when the scale changes. Finer buckets are added up; no value counts in a
// wrong bucket. With a negative scale, only powers at which its buckets end occur. Covers the first
// to the last non-empty bucket; bounds are -2^n for negative values, and the threshold for zero.
void BucketsOfPowers(const OtlpPoint& point, std::vector<OtlpBucket>* buckets);

}  // namespace hourcell
