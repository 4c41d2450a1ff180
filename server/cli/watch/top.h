// `hourcell top`: what a server does at this moment, every second. On a terminal it is a screen
// with the keys q, which ends it, and k, which cancels a query; else one snapshot after the other.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/cli/http_client.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct TopOptions {
  std::string url = "http://localhost:4242";
  TlsTrust trust = {};
  int64_t delay_ms = 1000;  // between two snapshots
  uint64_t count = 0;       // of snapshots; 0 = until it is ended
  bool json = false;        // one object a line
  bool is_screen = false;   // output and input are a terminal
};

// kExitUsage: the URL; kExitFailure: the server does not answer or refuses; on a screen only if it
// does so at the beginning. 128 and the signal after SIGINT and SIGTERM.
int RunTop(const TopOptions& options, Terminal& terminal);

// `hourcell top` with these flags.
int TopMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
