// An import from a running OpenTSDB, or Hourcell: all points of its metrics, while it serves.
//
//   metrics -> slices of their time, on several threads -> query `none` -> points -> sinks
//           -> state file -> at the end: counts and sums of both, compared
//
// What is imported twice is stored once, so a slice that was cut short is imported again. Whole
// seconds are stored as seconds, other times as milliseconds.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query.h"
#include "server/cli/http_client.h"
#include "server/cli/terminal.h"
#include "server/cli/transfer/opentsdb_source.h"
#include "server/cli/transfer/point_sink.h"
#include "server/cli/transfer/time_slices.h"

namespace hourcell {

struct OpenTsdbImportOptions {
  HttpUrl source = {};
  TimeSlice range = {};                   // what is imported
  std::vector<std::string> metrics = {};  // empty: all
  std::string state_file = {};            // empty: none
  uint64_t rate = 0;                      // points a second, of all threads; 0: no limit
  bool skip_errors = false;               // count points that the target refuses, and go on
  bool skip_compare = false;
  SourcePatience patience = {};
};

// Where the points go.
struct ImportTarget {
  std::string name = {};                               // for the state file
  std::vector<std::unique_ptr<PointSink>> sinks = {};  // one a thread; at least one
  std::function<absl::StatusOr<std::vector<ResultSeries>>(const QuerySpec&)> query = {};
};

// Says what it imported on `out`, then for each metric whether source and target have as many
// points and the same sum. What fails is named on `err`, and ends its metric, not the others.
// kExitFailure: a metric failed, or differs. A signal ends the import at its next batch.
int RunOpenTsdbImport(const OpenTsdbImportOptions& options,
                      ImportTarget target,
                      Terminal& terminal);

}  // namespace hourcell
