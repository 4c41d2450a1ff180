// Histograms as text: in a telnet line, and in the names of the series of a query's result.
//
//   u=0:o=1:0,1.75=12:1.75,3.5=16       underflow 0, overflow 1, two buckets
//
// The entries are in any order, and "u" and "o" in any case; without them the flows are 0. Of equal
// bounds, the last count stays.
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/histograms/exponential_histogram.h"
#include "codec/histograms/simple_histogram.h"
#include "codec/text/number.h"

namespace hourcell {

// Errors: kIllegalArgument "empty histogram value", "Improperly formatted bucket: s", more than
// kHistogramBucketsMax buckets, a negative count of a bucket; kInvalidValue of a number.
Parsed<SimpleHistogram> ParseHistogramText(std::string_view text);

// One bucket of an entry "<lower>,<upper>" and its count. Errors as ParseHistogramText.
Parsed<HistogramBucket> ParseBucketText(std::string_view bounds, int64_t count);

// "<metric>_pct_99.9": the series of a percentile. The number is Java's Float.toString.
std::string PercentileSeriesName(std::string_view metric, double percentile);

// "<metric>_<lower>_<upper>": the series of a bucket, as PercentileSeriesName.
std::string BucketSeriesName(std::string_view metric, const HistogramBucket& bucket);

// "<metric>_UNDERFLOW" and "<metric>_OVERFLOW".
std::string UnderflowSeriesName(std::string_view metric);
std::string OverflowSeriesName(std::string_view metric);

// "<metric>_<lower>_<upper>" of a bucket of an exponential histogram: the bounds are Java's
// Double.toString, and those of a negative bucket are negative.
std::string ExponentialSeriesName(std::string_view metric,
                                  int scale,
                                  int32_t index,
                                  bool is_negative);

// "<metric>_ZERO", "<metric>_COUNT" and "<metric>_SUM" of an exponential histogram.
std::string ZeroSeriesName(std::string_view metric);
std::string CountSeriesName(std::string_view metric);
std::string SumSeriesName(std::string_view metric);

}  // namespace hourcell
