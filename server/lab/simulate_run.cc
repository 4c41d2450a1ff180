#include "server/lab/simulate_run.h"

#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "bench/lab/simulate/design_source.h"
#include "bench/lab/simulate/report/simulation_report.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

// The number of key bins in each step of the map for each of its rows.
constexpr size_t kBinsPerHeatRow = 2;

absl::Status CheckLimits(const SimulateLimits& limits,
                         int64_t passed_ms,
                         const SimulationProgress& progress) {
  if (passed_ms > limits.ms) {
    return absl::DeadlineExceededError(
        fmt::format("took more than {} seconds; use a smaller fleet or fewer designs, or the "
                    "command `hourcell simulate`, which has no such limit",
                    limits.ms / 1'000));
  }
  if (progress.regions > limits.regions) {
    return absl::ResourceExhaustedError(
        fmt::format("has more than {} regions; use larger ones (split.max_bytes) or a coarser "
                    "pre-split, or the command `hourcell simulate`, which has no such limit",
                    limits.regions));
  }
  return absl::OkStatus();
}

SimulationOptions OptionsOf(const SimulateRequest& request) {
  SimulationOptions options{.window_ms = request.window_ms,
                            .settle_ms = request.settle_ms,
                            .heat_rows = request.heat_rows,
                            .heat_resolution = {.steps_max = request.heat_steps,
                                                .bins = kBinsPerHeatRow * request.heat_rows}};
  if (!request.ids.has_value()) options.key_names = KeyNamesOf(request.fleet);
  return options;
}

}  // namespace

absl::StatusOr<std::string> RunSimulateRequest(const SimulateRequest& request,
                                               const SimulateLimits& limits,
                                               MonotonicClock* clock,
                                               const SimulateWatch& watch) {
  const int64_t start_ms = clock->MonotonicMs();
  SimulationOptions options = OptionsOf(request);
  std::vector<SimulationResult> results;
  for (size_t i = 0; i < request.designs.size(); ++i) {
    const SimulationDesign& design = request.designs[i];
    options.watch = [&](const SimulationProgress& progress) -> absl::Status {
      HOURCELL_RETURN_IF_ERROR(CheckLimits(limits, clock->MonotonicMs() - start_ms, progress));
      const SimulateStage stage{.design = design.name,
                                .index = i,
                                .designs = request.designs.size(),
                                .progress = progress};
      return !watch || watch(stage) ? absl::OkStatus() : absl::CancelledError("cancelled");
    };
    const PutSourceFactory source =
        request.ids.has_value() ? IdsSource(*request.ids) : FleetSource(request.fleet, design);
    HOURCELL_ASSIGN_OR_RETURN(results.emplace_back(), RunSimulation(design, source, options));
  }
  std::string text = "{\"simulations\":" + JsonText(results);
  if (text.ends_with('\n')) text.pop_back();
  return text + "}";
}

}  // namespace hourcell
