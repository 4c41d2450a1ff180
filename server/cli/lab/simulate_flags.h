// The flags of `hourcell simulate`, but for those of the store.

#pragma once

#include "server/cli/command_line.h"
#include "server/cli/lab/simulate.h"

namespace hourcell {

// Where puts come from, the design, and what is said of it. `options` must be there until `line` is
// parsed.
void AddSimulateFlags(CommandLine* line, SimulateOptions* options);

}  // namespace hourcell
