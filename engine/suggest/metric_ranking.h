// RankMetrics: the metrics whose names contain a text, in an order, with their numbers of series.
// Thread-safe.

#pragma once

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/names/virtual_metrics.h"
#include "engine/query/last_query.h"
#include "engine/query/query_watch.h"
#include "engine/series/series_table.h"
#include "uid/uid_directory.h"

namespace hourcell {

// Borrowed.
struct RankingParts {
  const Layout* layout = nullptr;
  UidDirectory* uids = nullptr;
  const SeriesTable* series = nullptr;
  const VirtualMetrics* virtual_metrics = nullptr;  // null: the store does not have any
};

// Leaves out the series of UnlistedSeries. Virtual metrics are among the others, with 0 series.
// Takes memory for the metrics of the answer, and for the series numbers of one metric. kCancelled
// and kDeadlineExceeded by `watch`; kDataLoss: a row of a metric's series does not decode.
absl::StatusOr<MetricRanking> RankMetrics(const MetricSearch& search,
                                          const RankingParts& parts,
                                          const QueryWatch& watch);

}  // namespace hourcell
