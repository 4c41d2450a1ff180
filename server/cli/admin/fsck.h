// `hourcell fsck`: checks a store that no process has open (engine/fsck.h), and makes the repairs
// that its flags name; or makes a running server check its own store (engine/fsck_admin.h). If the
// tool ends, the server continues.
//
// Prints the first findings of each kind, one per line, then the amount of data read and the number
// of faults of each kind. Exit 0: no faults; 1: faults, even if they are fixed now; 2: usage; 3:
// the check failed.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

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

// `hourcell fsck` with these flags and words. The exit code is RunFsckCommand's, or kExitUsage if
// they are invalid.
int FsckMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
