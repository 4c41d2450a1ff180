// FindChurn: the series of a metric that started or ended in a range, for /api/query/churn. A
// series is compared with the range before as by ScoreChange (change_score.h). Thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query/memory_account.h"
#include "server/changes/change_request.h"
#include "server/changes/change_score.h"
#include "server/query/query_run.h"

namespace hourcell {

struct ChurnedSeries {
  std::vector<std::pair<std::string, std::string>> tags;
  std::string tsuid;  // upper-case hex
  ChangeType type = ChangeType::kStarted;
  // The starts of its first and its last step with a point, of both ranges.
  int64_t first_ms = 0;
  int64_t last_ms = 0;

  int64_t changed_ms() const { return type == ChangeType::kStarted ? first_ms : last_ms; }
};

struct ChurnReport {
  uint64_t series = 0;  // of the metric that have points in one of the ranges
  uint64_t started = 0;
  uint64_t ended = 0;
  // The latest changes first, then by tsuid; at most the limit of the request.
  std::vector<ChurnedSeries> list;
};

// `deadline_ms`: of the request, by MonotonicClock; 0 = none. The memory of the list is counted by
// `memory`, which outlives the report. Errors: as Queries::Query.
absl::StatusOr<ChurnReport> FindChurn(const ChurnRequest& request,
                                      const QueryService& service,
                                      int64_t deadline_ms,
                                      QueryControl* control,
                                      MemoryAccount* memory);

}  // namespace hourcell
