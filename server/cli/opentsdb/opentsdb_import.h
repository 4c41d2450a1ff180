// An import of all points of metrics from a running OpenTSDB or Hourcell.
//
//   metrics -> slices of their time, on several threads -> query `none` -> points -> sinks
//           -> state file -> at the end: counts and sums of both, compared
//
// Importing a point twice stores it once, so an interrupted slice is imported again. Whole seconds
// are stored as seconds, other times as milliseconds.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query.h"
#include "server/cli/data/point_sink.h"
#include "server/cli/data/time_slices.h"
#include "server/cli/opentsdb/opentsdb_source.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct OpenTsdbImportOptions {
  HttpUrl source = {};
  TimeSlice range = {};                   // the time range to import
  std::vector<std::string> metrics = {};  // empty: all
  std::string state_file = {};            // empty: none
  uint64_t rate = 0;                      // points per second, of all threads; 0: no limit
  bool skip_errors = false;               // count points that the target refuses, and continue
  bool skip_compare = false;
  SourcePatience patience = {};
};

// The target of an import.
struct ImportTarget {
  std::string name = {};                               // for the state file
  std::vector<std::unique_ptr<PointSink>> sinks = {};  // one per thread; at least one
  std::function<absl::StatusOr<std::vector<ResultSeries>>(const QuerySpec&)> query = {};
};

// Prints a summary on `out`, then compares the number and sum of points of each metric in source
// and target. Reports failures on `err`; a failure ends only its metric. kExitFailure: a metric
// failed, or differs. A signal ends the import at its next batch.
int RunOpenTsdbImport(const OpenTsdbImportOptions& options,
                      ImportTarget target,
                      Terminal& terminal);

}  // namespace hourcell
