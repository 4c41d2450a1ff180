// Sums up the rounds of each case. Counts follow from the case and its seed, so one round has them.
// Times depend on the machine, and instructions on the build and a little on each run, so the
// summary has the median of the rounds, and the quartiles. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/lab/layouts/cases/case_result.h"

namespace hourcell::layouts {

// A report leaves out times of fewer rounds.
inline constexpr size_t kRoundsForTimes = 3;

// Of some values, by nearest rank.
struct Spread {
  double low = 0;  // the first quartile
  double median = 0;
  double high = 0;  // the third quartile
};

struct CaseSummary {
  CaseResult result = {};  // counts of the first round; times and instructions are medians
  size_t rounds = 0;
  std::map<std::string_view, Spread> measured = {};  // of these, by the name of the field
};

// One for each case, in the order of the first results. A case that was measured with different
// numbers of points has the rounds with most points.
std::vector<CaseSummary> Summarize(std::span<const CaseResult> results);

// The results of the summaries.
std::vector<CaseResult> MediansOf(std::span<const CaseSummary> summaries);

// The run of the results.
struct RunAbout {
  size_t measured = 0;       // rounds of cases
  size_t planned = 0;        // more than `measured` if the run ended early
  std::string program = {};  // "hourcell 0.1.0, Release"; empty = not in the report
  bool is_release = true;    // else figures with times are marked
  std::string stores = {};   // directory of the stores; empty = not in the report
};

// "Ended after 3 of 19 measurements.", and a line end; empty if the run is complete.
std::string EndedText(const RunAbout& about);

}  // namespace hourcell::layouts
