// CheckSeries: checks that numbers, tsuids and posting sets of all series agree, both ways:
//
//   number -> tsuid -> the same number
//   tsuid -> number -> the same tsuid
//   a series is in its metric's set and in the set of each of its tags; no set has another series,
//     and sets of unused metrics and tags are empty
//
// One pass over the rows of one snapshot finds the metrics that disagree
// (engine/series/series_sums.h); only those are checked series by series. Series may be created
// meanwhile: a series found only in a set is looked up once more before it is a fault. Holds the
// UIDs of all metrics in memory, and the series of one metric that has a fault.
//
// Repairs: an entry found in one direction only is written in the other. A posting set that lacks
// series or does not decode is rewritten with all its series; of other numbers in a set, only
// numbers without a series are removed. Contradictions stay. Rows of points are neither read nor
// written. Each repair can be interrupted, and repeated.

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
  // Called at intervals; an error ends the check and is returned. May be null.
  std::function<absl::Status()> tick = {};
};

// Errors are storage's, and also rows that do not decode, except posting sets: then the rest is not
// checked. `tables` are those of `series`.
absl::Status CheckSeries(const Layout& layout,
                         const SeriesTable& series,
                         Tables* tables,
                         const SeriesCheckOptions& options,
                         FsckReport* report);

}  // namespace hourcell
