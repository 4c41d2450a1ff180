// `hourcell query`: runs a query on a store or a running server, and prints lines or JSON.

#pragma once

#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct QueryOptions {
  StoreOptions store = {};
  std::string url = {};  // empty = the store of `store`
  TlsTrust trust = {};
  bool json = false;                      // print the answer of /api/query
  bool explain = false;                   // also print the plans
  std::vector<std::string> words = {};    // query_words.h
  std::vector<std::string> m_texts = {};  // -m
};

// kExitUsage: the query does not parse; kExitFailure: it fails.
int RunQuery(const QueryOptions& options, Terminal& terminal);

// `hourcell query` with these flags and words. The exit code is RunQuery's, or kExitUsage if they
// are invalid.
int QueryMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
