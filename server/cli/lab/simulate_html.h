// Simulations as an HTML report (html_report.h): designs side by side, then of each what the run
// foretells, its map of keys and time, its regions and what became of them. Pure.

#pragma once

#include <span>
#include <string>

#include <absl/status/statusor.h>

#include "bench/lab/simulate/simulation.h"

namespace hourcell {

// The page. `source` says where the puts came from: "fleet metrics=10".
absl::StatusOr<std::string> SimulateHtml(std::span<const SimulationResult> results,
                                         const std::string& source);

}  // namespace hourcell
