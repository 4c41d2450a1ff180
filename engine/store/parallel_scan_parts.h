// The parts of a store that a ParallelScan uses. Not installed.

#pragma once

#include <memory>

#include "codec/rows/row_key.h"
#include "engine/hours/open_hours.h"
#include "engine/parallel_scan.h"
#include "engine/read/query_planner.h"
#include "engine/series/series_table.h"
#include "engine/table/region_list.h"
#include "engine/table/tables.h"
#include "uid/uid_directory.h"

namespace hourcell {

// Borrowed; outlives the scan.
struct ParallelScan::Parts {
  const RowKeyCodec* row_keys = nullptr;
  Tables* tables = nullptr;
  RegionList* regions = nullptr;          // of the same store
  std::shared_ptr<OpenHours> open_hours;  // shared: the scan keeps them
  const SeriesTable* series = nullptr;
  UidDirectory* uids = nullptr;
  const QueryPlanner* planner = nullptr;
};

}  // namespace hourcell
