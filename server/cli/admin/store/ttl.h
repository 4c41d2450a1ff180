// `hourcell store ttl`: shows and sets the TTLs of metrics.
//
//   ttl                  prints the store's TTL, and every metric that has another one
//   ttl METRIC TTL       sets a metric's TTL, in the notation of ParseTtl
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include "server/cli/admin/store/store.h"
#include "server/cli/terminal.h"

namespace hourcell {

// `options.words` begins with "ttl". Prints the resulting TTLs: a line "(default) <ttl>" for the
// store, and a line "<metric> <ttl>" for each metric. Returns as RunStoreCommand.
int RunTtl(const StoreCommandOptions& options, Terminal& terminal);

}  // namespace hourcell
