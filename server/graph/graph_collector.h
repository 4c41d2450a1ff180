// GraphCollector: the QuerySink that keeps what a picture of the results needs, in bounded memory,
// and makes the figure of it. Thread-compatible.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "engine/query.h"
#include "server/graph/graph_look.h"
#include "server/plot/figure.h"

namespace hourcell {

// More would not be told apart.
inline constexpr size_t kGraphSeriesMax = 500;
// Of a picture, once each line has no more than its pixels can show.
inline constexpr size_t kGraphPointsMax = 1'000'000;
// What a kept point takes until the picture is printed: in the figure, the scene and the file.
inline constexpr size_t kGraphPointBytes = 112;

class GraphCollector : public QuerySink {
 public:
  // All are borrowed; `memory` may be null.
  GraphCollector(const QuerySpec& spec, const GraphLook& look, MemoryAccount* memory);

  // kResourceExhausted: more series or points than a picture has, or no memory.
  absl::Status OnSeries(const SeriesView& series) override;

  // Takes so much more for as long as the collector lives.
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
