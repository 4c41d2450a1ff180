// `hourcell search lookup`: which series a store has.
//
//   lookup [metric] [tagk=tagv ...]
//
// A metric that is left out or "*" is any; so is an empty or "*" side of a tag. One key again with
// another value is "or", another key is "and". A line each, as OpenTSDB's tool prints them, tags
// in the order of their keys' UIDs:
//
//   000001000001000001 cpu.user host=web01
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include <string>
#include <vector>

#include "server/cli/http_client.h"
#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct SearchOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  bool json = false;                    // a JSON object a line
  std::vector<std::string> words = {};  // "lookup" and what follows it
};

// Prints all there are. kExitFailure if there is none, as with grep, or a name is unknown.
int RunSearch(const SearchOptions& options, Terminal& terminal);

// `hourcell search` with these flags and words. The exit code is that of RunSearch, or
// kExitUsage if they make no sense.
int SearchMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
