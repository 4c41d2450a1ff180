// Recommends a layout for each workload, in words, with its gains and costs.
//
// A store can have OpenTSDB's order of fields with or without its salt, so only these compete, with
// packed cells. The most even layout has the smallest share of the hottest region in the second
// half of a run. The recommended one is the one with the fewest accesses a read among those whose
// share is at most 1.25 times that, or five percent points more. These have rows of hours.
// Of all rows that were measured with one region (split rule `none`) and the same salt, else
// without salt, the recommended ones are the first whose bytes in files for a point are less than
// 1/0.9 of the fewest: rows by density, as a store has them by default; rows of hours; rows of
// days, and by another density. Only counts decide. Pure; thread-safe.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/lab/layouts/cases/case_summary.h"

namespace hourcell::layouts {

struct Recommendation {
  std::string workload = {};              // "fleet"
  std::string layout = {};                // "salt-16"
  std::string title = {};                 // "For ...: ..."
  std::vector<std::string> reasons = {};  // sentences
};

// One for each workload for which at least two such layouts were measured.
std::vector<Recommendation> Recommend(std::span<const CaseSummary> cases);

// The recommendations as text, a line for each reason; empty without recommendations.
std::string RecommendationText(std::span<const CaseSummary> cases);

}  // namespace hourcell::layouts
