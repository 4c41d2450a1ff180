// DropSeries: takes series out of the `series` table: their numbers, their tsuids and their places
// in posting sets (series_key.h). Their names and UIDs stay, and so does the counter: a point put
// later makes its series anew, under another number.
//
// Some thousand series at a time go in one synced group each, all rows of a series in one: a crash
// leaves a series whole or gone. REQUIRES: the caller is the only one that writes the table; the
// series have index rows (not only log rows, series_rows.h), and no row of points or block of the
// journal needs them. Thread-safe.

#pragma once

#include <span>
#include <string>
#include <utility>

#include <absl/status/status.h>

#include "codec/rows/layout.h"
#include "engine/rows/series_key.h"
#include "engine/table/tables.h"

namespace hourcell {

// kDataLoss: one of their rows does not decode. kInvalidArgument: an invalid tsuid.
absl::Status DropSeries(const Layout& layout,
                        std::span<const std::pair<SeriesNumber, std::string>> series,
                        Tables* tables);

}  // namespace hourcell
