// The arithmetic of OpenTSDB's aggregators over a few values at once, written a second time and
// with no thought of speed, so that a test can hold the engine's against it. Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "engine/query/query_spec.h"

namespace hourcell {

// Of integers: 64 bits that wrap; avg, dev and percentiles are cut towards zero.
// REQUIRES: not empty, not kNone.
int64_t NaiveAggregate(Aggregator aggregator, const std::vector<int64_t>& values);

// Of doubles: NaN is skipped (not by first, last and the last value of diff); all NaN gives NaN.
// REQUIRES: not empty, not kNone.
double NaiveAggregate(Aggregator aggregator, const std::vector<double>& values);

// True of the percentiles: of integers they are made of doubles and cut.
bool IsPercentile(Aggregator aggregator);

}  // namespace hourcell
