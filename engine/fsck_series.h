// CheckSeries: whether numbers, tsuids and posting sets of all series agree, both ways:
//
//   tsuid -> number -> the same tsuid
//   a series is in its metric's set and in that of each of its tags; no set has another one
//
// Holds the series of one metric in memory. Reads only.

#pragma once

#include <cstddef>

#include <absl/status/status.h>

#include "codec/layout.h"
#include "engine/fsck_report.h"
#include "engine/series_table.h"

namespace hourcell {

// Errors are storage's; what does not decode, too: then the rest is not checked.
absl::Status CheckSeries(const Layout& layout,
                         const SeriesTable& series,
                         size_t examples_max,
                         FsckReport* report);

}  // namespace hourcell
