// The figures of a report. Each shows the cases that differ in what it is about, and are alike in
// the rest: where nothing is said, packed cells, IncreasingToUpperBound and a fleet. A figure that
// would compare nothing is left out. Pure; thread-safe.
//
//   hot-share         by layout and workload, the second half of the run
//   hot-share-in-time by layout, along the run
//   read-time         by layout and kind of read
//   read-bytes        by layout and kind of read, bytes handed over for a point returned
//   write-rate        by cell form and layout
//   bytes             by cell form: stored, and in files
//   rules-hot-share   by split rule and layout
//   rules-pause       by split rule and layout, the worst pause of a writer
//   load-LAYOUT       key range x time of one layout: opentsdb, salt-16, time-first

#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/lab/layouts/cases/case_result.h"
#include "server/plot/figure.h"

namespace hourcell::layouts {

struct NamedFigure {
  std::string name = {};  // of a file, without its ending
  plot::Figure figure = {};
};

std::vector<NamedFigure> CaseFigures(std::span<const CaseResult> results);

// The points of a run by key range and window, in percent of all points; neighbouring regions are
// put together where there are more than `rows_max`.
plot::Figure LoadFigure(const CaseResult& result, size_t rows_max);

}  // namespace hourcell::layouts
