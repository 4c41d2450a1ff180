// The figures of a report. Each compares cases along the dimensions in its line; the others are
// packed cells, IncreasingToUpperBound and a fleet. A figure with nothing to compare is left out.
// Pure; thread-safe.
//
//   hot-share         by layout and workload, the second half of the run
//   hot-share-in-time by layout, along the run
//   read-time         by layout and kind of read, processor time
//   read-instructions by layout and kind of read, of the reading thread, if they were counted
//   read-bytes        by layout and kind of read, bytes read per returned point
//   write-time        by cell form and layout, processor time
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
  std::string name = {};  // of a file, without its extension
  plot::Figure figure = {};
  bool depends_on_build = false;  // it has times or instructions
};

std::vector<NamedFigure> CaseFigures(std::span<const CaseResult> results);

// The points of a run by key range and window, in percent of all points; if there are more than
// `rows_max` regions, neighbours are joined.
plot::Figure LoadFigure(const CaseResult& result, size_t rows_max);

}  // namespace hourcell::layouts
