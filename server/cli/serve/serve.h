// `hourcell serve`: the server on a store, until SIGTERM or SIGINT.

#pragma once

#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

// OpenTSDB's flags; each stands for a setting and overrides it. Empty = not given.
struct ServeFlags {
  std::string port = {};             // --port             tsd.network.port
  std::string bind = {};             // --bind             tsd.network.bind
  std::string max_connections = {};  // --max-connections  tsd.core.connections.limit
  std::string backlog = {};          // --backlog          tsd.network.backlog
  bool auto_metric = false;          // --auto-metric      tsd.core.auto_create_metrics=true
  bool read_only = false;            // --read-only        tsd.mode=ro
};

// The flags as "key=value".
std::vector<std::string> SettingsOf(const ServeFlags& flags);

// Says where it listens, then serves. kExitFailure: the store does not open, the port is taken;
// kExitUsage: a setting is wrong.
int RunServe(const StoreOptions& store, const ServeFlags& flags, Terminal& terminal);

// What each durability mode survives, for the help.
std::string DurabilityHelp();

// Every setting with its default and what it does, a line each.
std::string SettingsHelp();

// `hourcell serve` with these flags and words. The exit code is that of RunServe, or
// kExitUsage if they make no sense.
int ServeMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
