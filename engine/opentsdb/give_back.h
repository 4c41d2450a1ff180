// GiveBack: writes a store's contents as OpenTSDB rows, so that OpenTSDB can continue with them.
//
//   names missing in tsdb-uid, reverse rows first -> counters, never lowered -> for each row one
//   column with its points, as OpenTSDB's row compaction leaves it -> annotations
//
// Writing a row replaces its point columns in one call, so that no timestamp occurs twice; its
// other columns stay. Rows that are already equal are not rewritten; rows unknown to the store
// stay. In a shared data table the store's own cells stay, too: the points exist twice until the
// store's family is dropped.
//
// May be run again; it then writes only what has changed since.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/opentsdb/opentsdb_tables.h"
#include "engine/tsdb.h"

namespace hourcell {

struct GiveBackProgress {
  uint64_t names = 0;  // of the store
  uint64_t rows = 0;
  uint64_t points = 0;
  uint64_t annotations = 0;
  uint64_t rows_written = 0;  // the others were already equal
};

struct GiveBackOptions {
  // Salt of the written rows. UID widths are the store's.
  size_t salt_width = 0;
  uint32_t salt_buckets = kSaltBucketsDefault;
  // Called with the progress; returns false to stop. May be null.
  std::function<bool(const GiveBackProgress& progress)> progress = {};
};

// The qualifier under which OpenTSDB looks up an annotation. OpenTSDB divides each start that ends
// in 000 by 1000, even one in seconds, as if it were milliseconds; the offset then differs from the
// real one.
std::string OpenTsdbAnnotationQualifier(int64_t start_time);

// kFailedPrecondition: the tables have another UID for a name or another name for a UID, or a name
// contains characters that OpenTSDB cannot store. kCancelled: stopped by `progress`. Rows written
// so far stay.
absl::StatusOr<GiveBackProgress> GiveBackTables(Tsdb* store,
                                                OpenTsdbTables* tables,
                                                const GiveBackOptions& options);

}  // namespace hourcell
