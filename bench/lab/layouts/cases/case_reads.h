// The reads of a case, compared with the points written.

#pragma once

#include <absl/status/status.h>

#include "bench/lab/layouts/cases/case_result.h"
#include "bench/lab/layouts/workload.h"
#include "engine/table/tables.h"

namespace hourcell::layouts {

// Reads points, series and hours of metrics, chosen by the seed, and with `checks_all` all series;
// sets the figures of reads in `*result`. kDataLoss: a result that differs from the workload, with
// the row.
absl::Status ReadCase(const Workload& workload, Tables* store, CaseResult* result);

}  // namespace hourcell::layouts
