// `hourcell store`: does the regular background work of a store at once and waits for its end;
// shows and sets the TTLs and the salt.
//
//   seal      makes every point in memory part of a cell
//   flush     seals, writes memory to files, and empties the journal: an open replays nothing
//   compact   flushes, and merges the files of every table until nothing is left to merge
//   ttl       shows or sets TTLs, see server/cli/admin/store/ttl.h
//   salt      shows or changes the number of salt buckets, see server/cli/admin/store/salt.h
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tsdb.h"
#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct StoreCommandOptions {
  std::string_view command = "store";  // in messages
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  bool json = false;                    // ttl and salt: as the JSON of their endpoints
  std::vector<std::string> words = {};  // one of the subcommands above
};

// A subcommand: on a running server if the options have a URL, else on the store, which is open
// during the call. Both functions print, and return the exit code.
struct StoreCommandCalls {
  std::function<int(const HttpUrl& url)> on_server;
  std::function<int(Tsdb* tsdb)> on_store;
};
int RunOnEither(const StoreCommandOptions& options,
                const StoreCommandCalls& calls,
                Terminal& terminal);

// Prints "<action>: <n> hours sealed in <n> ms". kExitUsage: invalid words; kExitFailure: the store
// or the server fails or refuses.
int RunStoreCommand(const StoreCommandOptions& options, Terminal& terminal);

// `hourcell store` with these flags and words. The exit code is RunStoreCommand's, or kExitUsage if
// they are invalid.
int StoreMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
