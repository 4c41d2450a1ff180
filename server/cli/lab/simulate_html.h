// Writes simulations as an HTML report (html_report.h): designs side by side, then for each design
// its predictions, its map of keys and time, and its regions. Pure.

#pragma once

#include <span>
#include <string>

#include <absl/status/statusor.h>

#include "bench/lab/simulate/simulation.h"

namespace hourcell {

// Makes the page. `source` names the source of the puts: "fleet metrics=10".
absl::StatusOr<std::string> SimulateHtml(std::span<const SimulationResult> results,
                                         const std::string& source);

}  // namespace hourcell
