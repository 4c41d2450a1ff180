// `hourcell region`: lists, checks, splits and merges regions by hand.
//
//   list                                    a line a region, ascending by start
//   check                                   prints the faults of regions
//   split REGION [--at KEY | --into N]      in two by the split settings, at a key, or into N; only
//                                           planned with --dry-run
//   merge REGION REGION...                  merges neighbours into one
//   rolling-split [SPEC]                    one by one, until every key of SPEC begins a region;
//                                           without SPEC, continues the one that was ended
//
// REGION is an id, an encoded name, a full name, or a key in the region. Keys have the notation of
// HBase's shell: \x00 for the byte 0. SPEC is as for tsd.region.presplit; the tool reads a file:.
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct RegionOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  std::string table = "data";
  bool explain = false;                 // list: describes each start in words
  bool json = false;                    // prints the server's answer
  std::optional<std::string> at = {};   // split
  std::optional<uint32_t> into = {};    // split
  bool dry_run = false;                 // split: prints the plan, and changes nothing
  bool abandon = false;                 // rolling-split: drops the one that was ended
  std::vector<std::string> words = {};  // a subcommand and its words
};

// kExitUsage: invalid words or options; kExitFailure: the store or the server fails or refuses, or
// `check` found faults.
int RunRegion(const RegionOptions& options, Terminal& terminal);

// `hourcell region` with these flags and words. The exit code is RunRegion's, or kExitUsage if they
// are invalid.
int RegionMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
