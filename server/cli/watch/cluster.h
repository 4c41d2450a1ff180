// `hourcell cluster status`: which processes share the store of a running server.

#pragma once

#include <string>
#include <vector>

#include "server/cli/http_client.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct ClusterOptions {
  std::string url = {};  // required
  TlsTrust trust = {};
  bool json = false;
  std::vector<std::string> words = {};  // "status"
};

// A line for each process, and one for the journal. kExitFailure: the server does not answer, or
// something else; kExitUsage: no URL, other words.
int RunCluster(const ClusterOptions& options, Terminal& terminal);

// `hourcell cluster` with these flags and words.
int ClusterMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
