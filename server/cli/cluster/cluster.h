// `hourcell cluster status`: lists the nodes that share the store of a running server.

#pragma once

#include <string>
#include <vector>

#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct ClusterOptions {
  std::string url = {};  // required
  TlsTrust trust = {};
  bool json = false;
  std::vector<std::string> words = {};  // "status"
};

// Prints a line for each node, and one for the journal. kExitFailure: the server does not answer,
// or its answer is unexpected; kExitUsage: the URL is missing, or the words are invalid.
int RunCluster(const ClusterOptions& options, Terminal& terminal);

// `hourcell cluster` with these flags and words.
int ClusterMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
