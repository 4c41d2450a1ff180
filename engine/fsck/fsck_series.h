// CheckSeries: whether numbers, tsuids and posting sets of all series agree, both ways:
//
//   number -> tsuid -> the same number
//   tsuid -> number -> the same tsuid
//   a series is in its metric's set and in that of each of its tags; no set has another one, nor
//     have those of metrics and tags that no series has
//
// One pass over the rows of one moment finds the metrics of which they do not agree
// (engine/series/series_sums.h); only those are looked at series by series. Series may be made
// meanwhile: one that is found in a set only is looked up once more before it is a fault. Holds the
// UIDs of all metrics in memory, and the series of one metric that has a fault.
//
// Repairs: what one direction says and the other does not is written to the other. A posting set
// that lacks series or does not decode is written anew, with all that belong in it; of those that
// do not, only numbers that no series has go. What contradicts itself is left alone. Rows of points
// are neither read nor written. Each repair can be cut off, and be made again.

#pragma once

#include <cstddef>
#include <functional>

#include <absl/status/status.h>

#include "codec/rows/layout.h"
#include "engine/fsck_report.h"
#include "engine/series/series_table.h"
#include "engine/table/tables.h"

namespace hourcell {

struct SeriesCheckOptions {
  bool fix = false;  // REQUIRES: no series is made meanwhile
  size_t examples_max = 10;
  // Called every so often; an error ends the check with it. None = nobody is told.
  std::function<absl::Status()> tick = {};
};

// Errors are storage's; what does not decode, too, but for posting sets: then the rest is not
// checked. `tables` are those of `series`.
absl::Status CheckSeries(const Layout& layout,
                         const SeriesTable& series,
                         Tables* tables,
                         const SeriesCheckOptions& options,
                         FsckReport* report);

}  // namespace hourcell
