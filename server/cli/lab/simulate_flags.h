// The flags of `hourcell simulate`, without those of the store.

#pragma once

#include "server/cli/command_line.h"
#include "server/cli/lab/simulate.h"

namespace hourcell {

// Adds the flags for the source of puts, the design, and the output. `options` must outlive the
// parse of `line`.
void AddSimulateFlags(CommandLine* line, SimulateOptions* options);

}  // namespace hourcell
