// Ranking: top(N,BY) and bottom(N,BY), the N series with the highest or lowest value; and
// highestMax, as top(N,max), with the highest first.
//
// The value of a series is the maximum, minimum, average or sum of its points, or its last point,
// as doubles. Points that are NaN do not count. A series without any other point has the value NaN,
// which comes after all numbers, in top and in bottom. Of equal values the series that the input
// has first is the better one: the input has the order of a query's groups. Results of top and
// bottom keep the order of the input, not that of their values, so a client finds them where they
// would be without the function.
//
// Holds at most N series.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/query/functions/kept_series.h"
#include "engine/query/functions/series_function.h"

namespace hourcell {

// The value by which a series has its place; NaN without points.
double RankedValue(const SpanView& points, FunctionSpec::By by);

class Ranking : public SeriesFunction {
 public:
  // `memory` is borrowed. REQUIRES: spec.count > 0; of highestMax, spec.by is kMax.
  Ranking(const FunctionSpec& spec, MemoryAccount* memory);

  absl::Status Add(size_t input, const SeriesView& series, QuerySink* out) override;
  absl::Status Finish(QuerySink* out) override;

 private:
  struct Place {
    double value = 0;
    uint64_t order = 0;  // in the input
  };
  struct Kept {
    Place place;
    std::unique_ptr<KeptSeries> series;
  };
  bool IsBetter(const Place& a, const Place& b) const;

  const FunctionSpec spec_;
  MemoryAccount* const memory_;
  uint64_t seen_ = 0;
  std::vector<Kept> best_;  // a heap with the worst at the front
};

}  // namespace hourcell
