// Reads the hidden series from the records of deletes. Thread-safe.

#pragma once

#include <memory>

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/hidden/hidden_points.h"
#include "engine/rows/deletion_row.h"
#include "engine/series/series_table.h"
#include "engine/table/tables.h"

namespace hourcell {

// The series of one record. Leaves out series that are gone, with their rows, and series with a
// damaged row: queries do not find their points.
absl::StatusOr<std::shared_ptr<const HiddenSeries>> HiddenSeriesOf(const DeletionRow& row,
                                                                   const SeriesTable& series);

// The series of all records that hide points, for a store that is being opened. kDataLoss: a record
// does not decode.
absl::StatusOr<HiddenPoints::List> ReadHiddenSeries(const Layout& layout,
                                                    const SeriesTable& series,
                                                    Tables* tables);

}  // namespace hourcell
