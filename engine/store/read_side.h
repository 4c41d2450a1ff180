// ReadSide: the parts of an open store that only queries use. Every role has them. Thread-safe.

#pragma once

#include <optional>

#include <absl/status/status.h>

#include "engine/read/query_executor.h"
#include "engine/read/query_planner.h"
#include "engine/rollups/marks/rollup_marks.h"
#include "engine/rollups/rollup_levels.h"
#include "engine/series/active_sets.h"
#include "engine/series/metric_series.h"
#include "engine/store/store_core.h"
#include "engine/suggest/tags_in_use.h"
#include "engine/virtuals/virtual_queries.h"

namespace hourcell {

// The parts in the order in which they depend on each other.
class ReadSide {
 public:
  // Borrowed. `active` may be null: queries then take all series of a metric. `marks` may be null:
  // queries then read no levels by rules. REQUIRES: `active` with `marks`.
  ReadSide(StoreCore* core, ActiveSets* active, RollupMarks* marks);

  // Lists of series have all series with a point that was put before the call. Errors are
  // storage's.
  absl::Status ListPutSeries() const;

  ActiveSets* const active_sets;  // may be null
  MetricSeriesCache metric_series;
  TagsInUse tags_in_use;
  QueryPlanner planner;
  std::optional<RollupLevels> rollups;  // if the options configure them
  VirtualQueries virtuals;
  QueryExecutor executor;

 private:
  const SeriesTable& series_;
};

}  // namespace hourcell
