// GraphCollector: the QuerySink that keeps the points of a picture in bounded memory, and makes the
// figure. Thread-compatible.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "engine/query.h"
#include "server/graph/graph_look.h"
#include "server/plot/figure.h"

namespace hourcell {

// More lines would not be distinguishable.
inline constexpr size_t kGraphSeriesMax = 500;
// Per picture, after each line was reduced to its pixels.
inline constexpr size_t kGraphPointsMax = 1'000'000;
// Memory for a kept point until the picture is printed: in the figure, the scene and the file.
inline constexpr size_t kGraphPointBytes = 112;

class GraphCollector : public QuerySink {
 public:
  // All are borrowed; `memory` may be null.
  GraphCollector(const QuerySpec& spec, const GraphLook& look, MemoryAccount* memory);

  // kResourceExhausted: more series or points than a picture may have, or out of memory.
  absl::Status OnSeries(const SeriesView& series) override;

  // Reserves additional bytes for the lifetime of the collector.
  absl::Status Take(size_t bytes) { return memory_.Take(bytes); }

  // Call it once, after the query.
  plot::Figure TakeFigure();

 private:
  const QuerySpec& spec_;
  const GraphLook& look_;
  MemoryHold memory_;
  size_t points_ = 0;
  bool has_points_ = false;
  std::vector<plot::Series> series_;
};

// "metric{tagk=tagv, ...}".
std::string GraphLineName(const SeriesView& series);

}  // namespace hourcell
