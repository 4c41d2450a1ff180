// Adoption: a store takes over the tables of an OpenTSDB whose data table it shares. Nothing of
// OpenTSDB's is changed.
//
//   names with their UIDs, counters -> for each row: columns checked, series and day into the
//   index, annotations into their table -> the mark says how far, and at last that it is done
//
// Points stay where they are: the store reads OpenTSDB's columns beside its own (engine/bigtable).
// An adoption that was cut goes on where its mark is, at most a page of rows before where it was.
// One that was done may be run again: it finds what an OpenTSDB has written since.
//
// A fault is what cannot be taken over as it is: a damaged column, a row whose key is none of this
// layout or whose UIDs have no names, a name that contradicts another. The first one ends the
// adoption, or each is told and left out. What is left out is hidden: a row with a damaged column
// gets the points of its others as the store's own, and another one is deleted for the store.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/table/opentsdb_tables.h"
#include "engine/tsdb.h"

namespace hourcell {

struct AdoptionProgress {
  uint64_t names = 0;
  uint64_t rows = 0;  // with points; these and points also of earlier runs that were cut
  uint64_t points = 0;
  uint64_t annotations = 0;
  uint64_t duplicates = 0;  // points that lost to another one of their instant
  uint64_t skipped = 0;     // columns that are neither points nor annotations
  uint64_t faults = 0;
};

struct AdoptionOptions {
  bool skip_faults = false;
  // Told each fault that is skipped, in words. May be null.
  std::function<void(std::string_view fault)> fault = {};
  // Told how far it is; false ends it. May be null.
  std::function<bool(const AdoptionProgress& progress)> progress = {};
};

// `store` was opened for it (BigtableOptions::is_adopting), with the layout of OpenTSDB's rows.
// kDataLoss: a fault; kCancelled: by the progress; else errors of the storage. Each time the mark
// says how far it came.
absl::StatusOr<AdoptionProgress> AdoptTables(OpenTsdbTables* tables,
                                             Tsdb* store,
                                             const AdoptionOptions& options);

}  // namespace hourcell
