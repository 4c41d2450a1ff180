// `hourcell store ttl`: shows and sets how long a metric's points are kept.
//
//   ttl                  the store's setting, and every metric that has its own
//   ttl METRIC TTL       sets a metric's; TTL as ParseTtl takes it
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include "server/cli/store/store.h"
#include "server/cli/terminal.h"

namespace hourcell {

// `options.words` begins with "ttl". Prints a line "<metric> <ttl>" each, the store's as
// "(default) <ttl>", as it is afterwards. Returns as RunAdmin.
int RunTtl(const AdminOptions& options, Terminal& terminal);

}  // namespace hourcell
