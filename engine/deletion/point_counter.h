// CountSelected: counts the points of a selection, as Points::CountPoints. Reads as a query does,
// into one bucket for each series, so its memory does not grow with the points. NaN is
// not counted, as in a query. Thread-safe.

#pragma once

#include <absl/status/status.h>

#include "engine/hours/open_hours.h"
#include "engine/points.h"
#include "engine/query.h"
#include "engine/read/query_executor.h"

namespace hourcell {

// Adds the points of `spec` to `*counted`; each sub query has a metric or tsuids. Errors as
// QueryExecutor::Run's; kInvalidArgument: a sub query has functions.
absl::Status CountSelected(const QuerySpec& spec,
                           const QueryExecutor& executor,
                           OpenHours* open_hours,
                           QueryControl* control,
                           CountedPoints* counted);

}  // namespace hourcell
