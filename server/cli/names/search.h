// `hourcell search lookup`: lists series of a store.
//
//   lookup [metric] [tagk=tagv ...]
//
// An absent metric, or "*", matches every metric; an empty side of a tag, or "*", matches every key
// or value. Values of the same key are combined by "or", different keys by "and". Prints a line for
// each series, as OpenTSDB's tool does, with tags in the order of their keys' UIDs:
//
//   000001000001000001 cpu.user host=web01
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct SearchOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  bool json = false;                    // a JSON object per line
  std::vector<std::string> words = {};  // "lookup" and its arguments
};

// Prints all matching series. kExitFailure if nothing matches, as with grep, or a name is unknown.
int RunSearch(const SearchOptions& options, Terminal& terminal);

// `hourcell search` with these flags and words. The exit code is RunSearch's, or kExitUsage if they
// are invalid.
int SearchMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
