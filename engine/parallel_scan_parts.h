// What of a store a ParallelScan works on. Not installed.

#pragma once

#include "codec/row_key.h"
#include "engine/ingest/open_hours.h"
#include "engine/parallel_scan.h"
#include "engine/query_planner.h"
#include "engine/series_table.h"
#include "engine/table.h"
#include "uid/uid_directory.h"

namespace hourcell {

// Borrowed; outlives the scan.
struct ParallelScan::Parts {
  const RowKeyCodec* row_keys = nullptr;
  TableStore* tables = nullptr;
  OpenHours* open_hours = nullptr;
  const SeriesTable* series = nullptr;
  UidDirectory* uids = nullptr;
  const QueryPlanner* planner = nullptr;
};

}  // namespace hourcell
