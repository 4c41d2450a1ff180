// `hourcell region`: regions listed, checked, split and merged by hand.
//
//   list                                    a line a region, ascending by start
//   check                                   what is wrong with them; nothing, one hopes
//   split REGION [--at KEY | --into N]      in two where the split settings say, at a key, into N
//   merge REGION REGION...                  neighbours become one
//   rolling-split [SPEC]                    cut by cut until every key of SPEC begins a region;
//                                           without SPEC, goes on with the one that was ended
//
// REGION is an id, an encoded name, a full name, or a key in it; keys are written as HBase's shell
// does, \x00 for the byte 0. SPEC is as for tsd.region.presplit; a file: is read here.
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/cli/http_client.h"
#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct RegionOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  std::string table = "data";
  bool explain = false;                 // list: says where each begins in words
  bool json = false;                    // prints what the server answers
  std::optional<std::string> at = {};   // split
  std::optional<uint32_t> into = {};    // split
  bool abandon = false;                 // rolling-split: forgets the one that was ended
  std::vector<std::string> words = {};  // a subcommand and its words
};

// kExitUsage: words or options that make no sense; kExitFailure: the store or the server cannot or
// will not, or `check` found something.
int RunRegion(const RegionOptions& options, Terminal& terminal);

// `hourcell region` with these flags and words. The exit code is that of RunRegion, or
// kExitUsage if they make no sense.
int RegionMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
