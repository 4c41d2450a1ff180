// `hourcell fsck`: checks a store that no process has open (engine/fsck.h), and repairs what it is
// told to; or has a running server check its own (engine/fsck_admin.h). If the tool goes away, the
// server goes on.
//
// Prints the first findings of each kind, a line each, then how much was read and how many faults
// of each kind there are. Exit 0: none; 1: some, or some were and are fixed now; 2: usage; 3: it
// could not be checked.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/cli/http_client.h"
#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

inline constexpr int kExitNotChecked = 3;

struct FsckCommandOptions {
  StoreOptions store = {};
  std::string url = {};  // a running server instead of `store`
  TlsTrust trust = {};
  bool fix_cells = false;
  bool fix_uids = false;
  bool fix_index = false;
  bool drop_empty_series = false;
  bool acknowledge_cuts = false;
  bool json = false;
  uint64_t examples = 10;  // of each kind
};

int RunFsckCommand(const FsckCommandOptions& options, Terminal& terminal);

// `hourcell fsck` with these flags and words. The exit code is that of RunFsckCommand, or
// kExitUsage if they make no sense.
int FsckMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
