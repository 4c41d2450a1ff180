// `hourcell store salt`: shows and changes the number of salt buckets.
//
//   salt                    the epochs, a line each
//   salt BUCKETS [FROM]     uses BUCKETS buckets from the hour FROM; by default from the earliest
//                           possible hour
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include "server/cli/admin/store/store.h"
#include "server/cli/terminal.h"

namespace hourcell {

// `options.words` begins with "salt". Prints the resulting epochs, ascending, a line "<from>
// <buckets>" each. Returns as RunStoreCommand.
int RunSalt(const StoreCommandOptions& options, Terminal& terminal);

}  // namespace hourcell
