// SumSeriesRows: which metrics have rows in the `series` table that do not agree, by one pass over
// the table in the order of its keys.
//
// Block rows, tsuid rows and posting sets (series_rows.h) make the same statements about each
// series. A 64-bit hash of each statement is added where one kind of row makes it, and subtracted
// where another does, in sums of each metric: if one is not 0, rows differ. One difference in 2^64
// is missed. Rows of the latest series are written in parts, with their log rows as the truth until
// all are there: such a row may be missing.
//
// Takes memory for the sums of the metrics and for the series of log rows. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <set>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/table/table.h"

namespace hourcell {

struct SeriesSums {
  uint64_t series = 0;      // with a tsuid row or a log row
  std::set<Uid> differing;  // metrics
  bool is_damaged = false;  // a row does not decode: its metric is unknown
  bool is_good() const { return differing.empty() && !is_damaged; }
};

// `tick` is called at intervals; its error ends the pass. It may be null. Errors are its own and
// those of reading the table.
absl::StatusOr<SeriesSums> SumSeriesRows(const Layout& layout,
                                         TableView* view,
                                         const std::function<absl::Status()>& tick);

}  // namespace hourcell
