// GiveBack: what a store has, as OpenTSDB's rows, so that an OpenTSDB can go on with it.
//
//   names missing in tsdb-uid, reverse rows first -> counters, never lowered -> for each row one
//   column with its points, as OpenTSDB's row compaction leaves it -> annotations
//
// A row's columns of points are replaced by the one that is written, in one call, so that no
// instant is there twice; its other columns stay. What is there already is not written again. Rows
// that the store does not have stay as they are. In a data table that the store shares, the row's
// own cells stay, too: the points are there twice until the store's family is dropped.
//
// It may be run again, and then writes what is new since.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/table/opentsdb_tables.h"
#include "engine/tsdb.h"

namespace hourcell {

struct GiveBackProgress {
  uint64_t names = 0;  // of the store
  uint64_t rows = 0;
  uint64_t points = 0;
  uint64_t annotations = 0;
  uint64_t rows_written = 0;  // the others were there
};

struct GiveBackOptions {
  // Salt of the rows that are written. Widths of UIDs are the store's.
  size_t salt_width = 0;
  uint32_t salt_buckets = kSaltBucketsDefault;
  // Told how far it is; false ends it. May be null.
  std::function<bool(const GiveBackProgress& progress)> progress = {};
};

// The qualifier under which OpenTSDB looks for an annotation. It divides every start that ends in
// 000 by 1000, as if it were milliseconds, also one in seconds: then the offset is another one than
// that of the instant.
std::string OpenTsdbAnnotationQualifier(int64_t start_time);

// kFailedPrecondition: a name or a UID is another's in the tables, or a name has characters that
// OpenTSDB cannot store. kCancelled: by the progress. What was written by then stays.
absl::StatusOr<GiveBackProgress> GiveBackTables(Tsdb* store,
                                                OpenTsdbTables* tables,
                                                const GiveBackOptions& options);

}  // namespace hourcell
