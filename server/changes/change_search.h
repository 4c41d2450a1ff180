// FindChanges: the search of a request to /api/query/changes.
//
//   series of the tags (Queries::LookupSeries) -> queries of some metrics at once (Queries::Query)
//     -> the score of each series -> the highest score of each metric
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query.h"
#include "server/changes/change_request.h"
#include "server/changes/change_score.h"
#include "server/query/query_run.h"

namespace hourcell {

// Series of one metric that are compared at most, so that a large metric leaves room for others.
inline constexpr uint64_t kComparedOfMetricMax = 200;

// The series of a metric that moved most.
struct ChangedMetric {
  std::string metric;
  std::vector<std::pair<std::string, std::string>> tags;
  std::string tsuid;    // upper-case hex
  uint64_t series = 0;  // of the metric, and compared
  uint64_t moved = 0;   // series with a score of at least 1
  ChangeScore score;
};

struct ChangeReport {
  uint64_t series = 0;  // with the tags
  uint64_t compared = 0;
  uint64_t metrics = 0;  // of the series that were compared
  bool timed_out = false;
  std::vector<ChangedMetric> changes;  // by score, the highest first; at least 1
};

// `deadline_ms`: of the request, by MonotonicClock; 0 = none. The memory of the report is counted
// by `memory`. kNotFound: a tag is unknown; kCancelled, kResourceExhausted, kDataLoss: as
// Queries::Query; kDeadlineExceeded: before a series was compared.
absl::StatusOr<ChangeReport> FindChanges(const ChangeRequest& request,
                                         const QueryService& service,
                                         int64_t deadline_ms,
                                         QueryControl* control,
                                         MemoryAccount* memory);

}  // namespace hourcell
