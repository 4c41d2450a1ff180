// `hourcell serve`: runs the server on a store until SIGTERM or SIGINT.

#pragma once

#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

// OpenTSDB's flags; each overrides a setting. Empty: not given.
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

// Prints the address, then serves. kExitFailure: the store does not open or the port is in use;
// kExitUsage: a setting is invalid.
int RunServe(const StoreOptions& store, const ServeFlags& flags, Terminal& terminal);

// The durability modes and the failures that each survives, for the help text.
std::string DurabilityHelp();

// Every setting with its default and description, one per line.
std::string SettingsHelp();

// Runs `hourcell serve` with these arguments. Returns the exit code of RunServe, or kExitUsage for
// invalid arguments.
int ServeMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
