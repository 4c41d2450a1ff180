// `hourcell metric`: lists, defines and drops virtual metrics.
//
//   metric list                      one line a metric: its name, " = " and its expression
//   metric define NAME EXPRESSION    defines NAME, or replaces its expression
//   metric drop NAME                 removes the expression; the name keeps its UID
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct MetricCommandOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  bool json = false;                    // print the answer of /api/admin/metrics
  std::optional<double> missing = {};   // of define
  std::vector<std::string> words = {};  // one of the subcommands above
};

// Prints the virtual metrics that there are afterwards. kExitUsage: invalid words or an expression
// that does not parse; kExitFailure: the store or the server fails or refuses.
int RunMetricCommand(const MetricCommandOptions& options, Terminal& terminal);

// `hourcell metric` with these flags and words. The exit code is RunMetricCommand's, or kExitUsage
// if they are invalid.
int MetricMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
