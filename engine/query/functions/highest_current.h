// HighestCurrent: highestCurrent(q,N) of OpenTSDB, the N series with the highest value at the last
// time that any series has, the highest first.
//
// A series whose last point is earlier, or is NaN there, comes after all others, as does one
// without points. Of equal series the one that the input has first is the better one.
//
// Holds at most 2 N series: a later series may move the last time, and the first N of the input
// take the places then.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/query/functions/kept_series.h"
#include "engine/query/functions/series_function.h"

namespace hourcell {

class HighestCurrent : public SeriesFunction {
 public:
  // `memory` is borrowed. REQUIRES: count > 0.
  HighestCurrent(size_t count, MemoryAccount* memory);

  absl::Status Add(size_t input, const SeriesView& series, QuerySink* out) override;
  absl::Status Finish(QuerySink* out) override;

 private:
  struct Kept {
    double value = 0;
    uint64_t order = 0;  // in the input
    std::shared_ptr<const KeptSeries> series;
  };
  static bool IsBetter(const Kept& a, const Kept& b);

  const size_t count_;
  MemoryAccount* const memory_;
  uint64_t seen_ = 0;
  int64_t last_ms_ = INT64_MIN;  // of all series
  std::vector<Kept> first_;      // of the input
  std::vector<Kept> best_;       // with a value at last_ms_; a heap with the worst at the front
};

}  // namespace hourcell
