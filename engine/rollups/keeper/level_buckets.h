// The points of a level (codec/rollups/metric_rules.h) from the points of a series: those of the
// downsampling of queries, so that a level has the bits that a query of the points gives. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "codec/point.h"
#include "codec/rollups/metric_rules.h"
#include "engine/query/columns.h"

namespace hourcell {

// Seconds since 1970, of whole intervals.
struct LevelRange {
  const RuleLevel* level = nullptr;
  int64_t begin_s = 0;
  int64_t end_s = 0;  // exclusive
};

// Calls `take` for each interval of the range that has points, aggregate by aggregate, ascending.
// `aggregate` is an index into the level's. Whole numbers below 2^53 are integers, which take less
// space. REQUIRES: begin and end are multiples of the interval.
void VisitLevelBuckets(
    const SpanView& points,
    const LevelRange& range,
    const std::function<void(size_t aggregate, int64_t time_s, Value value)>& take);

}  // namespace hourcell
