// EstimateRollups: the space that rules would take, before they are in force: the points of a day
// of some series of each metric are read, and the cells of their levels are made and measured.
// Thread-safe.

#pragma once

#include <cstdint>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/rollups/metric_rules.h"
#include "engine/hours/open_hours.h"
#include "engine/names/virtual_metrics.h"
#include "engine/query.h"
#include "engine/read/query_executor.h"
#include "engine/retention.h"
#include "uid/uid_directory.h"

namespace hourcell {

struct RollupEstimateParts {
  const QueryExecutor* executor = nullptr;
  OpenHours* open_hours = nullptr;
  UidDirectory* uids = nullptr;
  const VirtualMetrics* virtual_metrics = nullptr;  // have no rules
};

// For each metric with a rule and with points in the day that begins at `day_s`: its points, and
// then its levels. Errors: as Queries::Query.
absl::StatusOr<std::vector<RollupEstimate>> EstimateRollups(const RollupEstimateParts& parts,
                                                            const MetricRules& rules,
                                                            int64_t day_s,
                                                            QueryControl* control);

}  // namespace hourcell
