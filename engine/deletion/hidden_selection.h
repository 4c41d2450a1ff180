// HiddenSelection: the series of a delete, which become its deletion records. One thread owns it.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/rows/uid.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_spec.h"
#include "engine/read/query_planner.h"
#include "engine/rows/series_key.h"

namespace hourcell {

class HiddenSelection {
 public:
  // The series of one metric.
  struct OfMetric {
    int64_t start_ms = 0;
    int64_t end_ms = 0;  // inclusive
    // Number and tags (as in row keys); until Finish in any order, perhaps repeated.
    std::vector<std::pair<SeriesNumber, std::string>> series = {};
  };

  // Adds the series that the sub queries select; each has a metric or tsuids. The range of a metric
  // is that of all its queries: the levels of rollups begin earlier than the points. Errors of
  // planning; kResourceExhausted: `hold` takes the memory of the series.
  absl::Status Add(const QueryPlanner& planner, const QuerySpec& spec, MemoryHold* hold);

  // Sorts the series, each once.
  void Finish();

  const std::map<Uid, OfMetric>& metrics() const { return metrics_; }
  uint64_t series() const;

 private:
  std::map<Uid, OfMetric> metrics_;
};

}  // namespace hourcell
