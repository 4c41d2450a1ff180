// `hourcell rollup`: rollups by the rules of tsd.rollups.rules (docs/rollups.md), in a directory
// that no process has open.
//
//   plan [RULES]             prints the space that rules would take
//   status                   prints how far the levels of each metric are computed; also of a
//                            running server
//   rebuild METRIC [START]   computes levels again, the next time a server runs

#pragma once

#include <string>
#include <vector>

#include "server/cli/admin/store/store.h"
#include "server/cli/terminal.h"

namespace hourcell {

// The words are one of the above. kExitUsage: invalid words or rules, or a URL or `json` without
// status; kExitFailure: the store or the server fails or refuses.
int RunRollup(const StoreCommandOptions& options, Terminal& terminal);

// `hourcell rollup` with these flags and words.
int RollupMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
