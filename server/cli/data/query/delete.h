// `hourcell delete`: deletes points of a store or of a running server, or counts them.
//
//   12 series and 43200 points of 3 metrics deleted.
//
// A selection without a metric, such as {}{host=web01}, takes the series of all metrics.

#pragma once

#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct DeleteOptions {
  StoreOptions store = {};
  std::string url = {};  // empty = the store of `store`
  TlsTrust trust = {};
  bool json = false;                      // print the answer of /api/query
  bool dry_run = false;                   // count, and delete nothing
  std::vector<std::string> words = {};    // START [END]
  std::vector<std::string> m_texts = {};  // -m
};

// kExitUsage: times or a selection do not parse; kExitFailure: it fails.
int RunDelete(const DeleteOptions& options, Terminal& terminal);

// `hourcell delete` with these flags and words. The exit code is RunDelete's, or kExitUsage if they
// are invalid.
int DeleteMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
