// Buckets of a downsampled span from the points of rollups (codec/rollups). Pure.

#pragma once

#include "engine/query/columns.h"
#include "engine/query/query_spec.h"
#include "engine/query/stages/downsampler.h"

namespace hourcell {

// The function that combines points of a level into a bucket: the sum for counts, and the level's
// own function for all others.
constexpr Aggregator FunctionOfLevel(Aggregator function) {
  return function == Aggregator::kCount ? Aggregator::kSum : function;
}

// Averages: in each bucket the sum of the sums divided by the sum of the counts, 0 if that is 0.
// An instant with a point in one of the spans only is left out. `spec` gives the buckets.
Span RollupAverages(const Span& sums,
                    const Span& counts,
                    DownsampleSpec spec,
                    const QueryRange& range);

}  // namespace hourcell
