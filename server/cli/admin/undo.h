// `hourcell undo`: the deletes of points, shortened TTLs and renames that can be undone
// (tsd.storage.undo).
//
//   undo                lists them
//   undo ID             undoes one
//   undo --forget ID    removes its points from disk now, or lets them expire
//
// On a running server (--url), or on a directory that no process has open.

#pragma once

#include <string>
#include <vector>

#include "server/cli/admin/store/store.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct UndoOptions {
  StoreCommandOptions store = {};  // words: nothing, or the id
  bool forget = false;
};

// Prints what it did, and the changes that are left, a line each. kExitUsage: invalid words;
// kExitFailure: no such change, or the store or the server fails or refuses.
int RunUndo(const UndoOptions& options, Terminal& terminal);

// `hourcell undo` with these flags and words.
int UndoMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
