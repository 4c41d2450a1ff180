// Adoption: makes a store take over the OpenTSDB tables that share its data table. It changes
// nothing in OpenTSDB's columns.
//
//   names with their UIDs, counters -> for each row: columns checked, series and day into the
//   index, annotations into their table -> the mark stores the progress, and at last completion
//
// Points stay in place: the store also reads OpenTSDB's columns (engine/bigtable). An interrupted
// adoption resumes at its mark and repeats at most a page of rows. A completed one may be run
// again: it adds the points that OpenTSDB has written since.
//
// Faults are damaged columns, rows with an unknown key layout or with unnamed UIDs, and
// contradicting names. By default the first fault aborts; with skip_faults, faults are reported and
// skipped. Skipped data is hidden: of a row with a damaged column, the store copies the points of
// the other columns; any other faulty row is deleted for the store.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/opentsdb/opentsdb_tables.h"
#include "engine/tsdb.h"

namespace hourcell {

struct AdoptionProgress {
  uint64_t names = 0;
  uint64_t rows = 0;  // with points; rows and points include earlier interrupted runs
  uint64_t points = 0;
  uint64_t annotations = 0;
  uint64_t duplicates = 0;  // points that lost to another one with the same timestamp
  uint64_t skipped = 0;     // columns that are neither points nor annotations
  uint64_t faults = 0;
};

struct AdoptionOptions {
  bool skip_faults = false;
  // Called with each skipped fault, as text. May be null.
  std::function<void(std::string_view fault)> fault = {};
  // Called with the progress; returns false to stop. May be null.
  std::function<bool(const AdoptionProgress& progress)> progress = {};
};

// `store` was opened for adoption (SharedRows::kToAdopt of engine/bigtable), with OpenTSDB's row
// layout. kDataLoss: a fault; kCancelled: stopped by `progress`; other errors come from the
// storage. The mark always stores the progress.
absl::StatusOr<AdoptionProgress> AdoptTables(OpenTsdbTables* tables,
                                             Tsdb* store,
                                             const AdoptionOptions& options);

}  // namespace hourcell
