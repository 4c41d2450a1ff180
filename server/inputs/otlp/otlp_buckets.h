// The buckets of OpenTelemetry's histograms as Prometheus' classic histograms have them: each
// counts what is at most its bound, `le`. The last, le=+Inf, is the count of the data point and not
// among them. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/inputs/otlp/otlp_metrics.h"

namespace hourcell {

struct OtlpBucket {
  double le = 0;
  uint64_t count = 0;  // of all values up to `le`
  friend bool operator==(const OtlpBucket&, const OtlpBucket&) = default;
};

// Of a histogram with bounds. Returns what is wrong, "got ...; want ...", empty if nothing is: a
// histogram has one count more than bounds, or no counts at all, and its bounds rise. Without
// `wants_text` any text stands for what is wrong.
std::string BucketsOfBounds(const OtlpPoint& point,
                            std::vector<OtlpBucket>* buckets,
                            bool wants_text = true);

// Of an exponential histogram: bounds are the powers of two, whatever its scale, so that the series
// stay the same when the scale changes. Buckets that are finer are added up; no value is counted in
// a wrong one. With a scale below 0 only those powers are there that its buckets end at. From the
// first bucket that has a value to the last; of negative values -2^n, of zero the threshold.
void BucketsOfPowers(const OtlpPoint& point, std::vector<OtlpBucket>* buckets);

}  // namespace hourcell
