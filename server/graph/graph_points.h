// GraphPoints: the points of one line, no more than a picture can show. If a line has more than
// four points for each pixel of its width, it keeps the first, the lowest, the highest and the last
// point of each pixel (Jugel and others, "M4", VLDB 2014): the picture is the same.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/query.h"

namespace hourcell {

struct GraphPoints {
  std::vector<double> t;  // milliseconds, ascending
  std::vector<double> v;  // NaN = a gap

  size_t size() const { return t.size(); }
  void Add(double time, double value) {
    t.push_back(time);
    v.push_back(value);
  }
};

// The points with start <= t <= end, for a width of `pixels`. REQUIRES: pixels > 0, start < end.
GraphPoints PointsToDraw(const SpanView& points, int64_t start_ms, int64_t end_ms, size_t pixels);

}  // namespace hourcell
