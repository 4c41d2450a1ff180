// A SplitProbe that reads the region's rows one by one: exact, and including rows that are not in
// files yet. A storage engine's own figures are only as fine as a block of a file. For regions that
// are small enough to be read as a whole.

#pragma once

#include <absl/status/statusor.h>

#include "engine/regions/region_info.h"
#include "engine/table/region_store.h"
#include "engine/table/table.h"

namespace hourcell {

// Reads all rows of the range; the probe keeps their keys and needs neither view nor table. Bytes
// are those of keys and values, as they were before they were put into files.
absl::StatusOr<RegionProbe> ProbeRows(TableView* view, TableId table, const RegionRange& range);

}  // namespace hourcell
