// MetricBatches: runs a selection over all metrics, some at a time. A sub query without metric and
// without tsuids selects the series of every metric that pass its filters. It is replaced by a sub
// query for each metric with such a series. A sub query of a metric also selects the series of the
// levels of its rollups, unless it has RollupUsage::kRaw.
//
// Needs memory for a UID of each metric with series, and for the plan of one metric. It leaves
// out metrics without a name, and virtual metrics. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/rows/uid.h"
#include "engine/names/virtual_metrics.h"
#include "engine/query.h"
#include "engine/query/query_watch.h"
#include "engine/read/query_meter.h"
#include "engine/read/query_planner.h"
#include "engine/series/series_table.h"
#include "uid/uid_directory.h"

namespace hourcell {

class MetricBatches {
 public:
  // Borrowed.
  struct Parts {
    const QueryPlanner* planner = nullptr;
    const SeriesTable* series = nullptr;
    UidDirectory* uids = nullptr;
    const VirtualMetrics* virtual_metrics = nullptr;
    QueryMemory* memory = nullptr;
    MonotonicClock* clock = nullptr;
    int64_t timeout_ms = 0;  // of the query, unless it has a deadline; 0 = none
  };
  explicit MetricBatches(const Parts& parts) : parts_(parts) {}

  // Calls `take` with queries that select the same series as `spec` together: first the sub queries
  // that have a metric or tsuids, if there are any. Errors: those of `take` and of
  // Queries::Query; kInvalidArgument: a sub query has neither a metric nor a filter, is of
  // pre-aggregates, or names a virtual metric.
  absl::Status ForEach(const QuerySpec& spec,
                       QueryControl* control,
                       const std::function<absl::Status(const QuerySpec&)>& take) const;

 private:
  absl::Status CheckSelection(const QuerySpec& spec) const;
  // Adds the same sub queries of the levels.
  absl::Status AddLevels(std::vector<SubQuery>* queries, const QueryWatch& watch) const;
  absl::StatusOr<std::vector<Uid>> MetricsWithSeries(const QueryWatch& watch,
                                                     MemoryHold* hold) const;
  // Whether the sub query of a metric selects a series.
  absl::StatusOr<bool> SelectsSome(const SubQuery& query,
                                   const QuerySpec& spec,
                                   const QueryWatch& watch,
                                   QueryControl* control) const;

  const Parts parts_;
};

}  // namespace hourcell
