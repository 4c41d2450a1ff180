// `hourcell store salt`: shows and changes how many salt buckets rows are spread over.
//
//   salt                    the epochs, a line each
//   salt BUCKETS [FROM]     from an hour on so many; without FROM as soon as can be
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include "server/cli/store/store.h"
#include "server/cli/terminal.h"

namespace hourcell {

// `options.words` begins with "salt". Prints a line "<from> <buckets>" an epoch, ascending, as it
// is afterwards. Returns as RunAdmin.
int RunSalt(const AdminOptions& options, Terminal& terminal);

}  // namespace hourcell
