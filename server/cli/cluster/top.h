// `hourcell top`: shows the current activity of a server, every second. On a terminal it is a
// screen with the keys q, which quits, and k, which cancels a query; else it prints successive
// snapshots.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct TopOptions {
  std::string url = "http://localhost:4242";
  TlsTrust trust = {};
  int64_t delay_ms = 1000;  // between two snapshots
  uint64_t count = 0;       // number of snapshots; 0 = until it is ended
  bool json = false;        // one object per line
  bool is_screen = false;   // output and input are a terminal
};

// kExitUsage: the URL; kExitFailure: the server does not answer, or refuses; a screen ends this way
// only at the start. 128 plus the signal after SIGINT and SIGTERM.
int RunTop(const TopOptions& options, Terminal& terminal);

// `hourcell top` with these flags.
int TopMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
