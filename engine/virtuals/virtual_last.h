// VirtualLast: the last points of the series of a virtual metric. Thread-safe.
//
// The last point of a joined series is at the last time at which all its inputs have points, so it
// does not follow from their last points. A query of the newest hour finds most; a series without a
// point there is looked for in older, longer ranges.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/point.h"
#include "engine/hours/open_hours.h"
#include "engine/query/last_query.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_control.h"
#include "engine/read/query_executor.h"

namespace hourcell {

struct VirtualLastPoint {
  std::string tsuid;  // bytes
  int64_t ms = 0;
  Value value;
};

class VirtualLast {
 public:
  // Both are borrowed.
  VirtualLast(const QueryExecutor* executor, OpenHours* open_hours)
      : executor_(*executor), open_hours_(open_hours) {}

  // The last points until the end of the hour of `now_ms`, of the series with these tsuids, of one
  // virtual metric, ascending by tsuid; series without one are left out. Searches as far back as
  // `query`. `hold` takes the memory of the points. Errors: as Queries::Query.
  absl::StatusOr<std::vector<VirtualLastPoint>> Read(const std::vector<std::string>& tsuids,
                                                     const LastQuery& query,
                                                     int64_t now_ms,
                                                     QueryControl* control,
                                                     MemoryHold* hold) const;

 private:
  const QueryExecutor& executor_;
  OpenHours* const open_hours_;
};

}  // namespace hourcell
