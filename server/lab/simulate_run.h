// A simulation on the server: the designs of a request one after the other, on the same puts, with
// limits on time and regions. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "server/lab/simulate_request.h"

namespace hourcell {

struct SimulateLimits {
  int64_t ms = 300'000;
  // In one design; a region of the model takes up to half a MiB.
  size_t regions = 1'000;
};

// The progress of a simulation.
struct SimulateStage {
  std::string design = {};
  size_t index = 0;  // of the design
  size_t designs = 0;
  SimulationProgress progress = {};
};
// Receives the progress. False: end the simulation.
using SimulateWatch = std::function<bool(const SimulateStage& stage)>;

// {"simulations":[..]}, each in the format of `hourcell simulate --format json`. `watch` may be
// empty. kCancelled: by `watch`; kDeadlineExceeded and kResourceExhausted: a limit was exceeded,
// which the message names; kInvalidArgument: as RunSimulation.
absl::StatusOr<std::string> RunSimulateRequest(const SimulateRequest& request,
                                               const SimulateLimits& limits,
                                               MonotonicClock* clock,
                                               const SimulateWatch& watch);

}  // namespace hourcell
