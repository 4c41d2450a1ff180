// `hourcell store`: what a store does by itself all the time, done at once and waited for; how long
// it keeps points and how it spreads them.
//
//   seal      every point in memory becomes part of a cell
//   flush     seals, writes memory to files, and empties the journal: an open replays nothing
//   compact   flushes, and merges the files of every table until nothing is left to merge
//   ttl       shows or sets how long points are kept, see server/cli/store/ttl.h
//   salt      shows or changes how many salt buckets there are, see server/cli/store/salt.h
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/tsdb.h"
#include "server/cli/http_client.h"
#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct AdminOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  bool json = false;                    // ttl and salt: as the JSON of their endpoints
  std::vector<std::string> words = {};  // one of the above
};

// What a subcommand does, on a running server if options say which, else on the store, which is
// open meanwhile. Both print, and return the exit code.
struct AdminCalls {
  std::function<int(const HttpUrl& url)> on_server;
  std::function<int(Tsdb* tsdb)> on_store;
};
int RunOnEither(const AdminOptions& options, const AdminCalls& calls, Terminal& terminal);

// Says "<action>: <n> hours sealed in <n> ms". kExitUsage: the words make no sense; kExitFailure:
// the store or the server cannot, or refuses.
int RunAdmin(const AdminOptions& options, Terminal& terminal);

// `hourcell store` with these flags and words. The exit code is that of RunAdmin, or
// kExitUsage if they make no sense.
int AdminMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
