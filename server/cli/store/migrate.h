// `hourcell migrate`: a store written again in another layout: other UID widths, a salt or none,
// another order of the key's fields, another form of cells; or on another storage engine.
//
//   names ── points, a row at a time ── annotations ── TTLs ── flush ── compare
//
// Both stores are opened by no other process. The source is not changed, but for its journal,
// which becomes cells. Names get their UIDs in the order of the source's, so that they have the
// same ones if the widths are the same and the source has no gaps. What has expired is not copied.
//
// A migration that was ended may be run again: it begins at the start, and what is there already is
// written once more. The file `migration` in the target says that it is not whole; another target
// that has something in it is refused.
//
// Between engines, a file beside the directory, <directory>.migration, has the metrics whose points
// are in the target (import_state.h), and the next migration goes on after them. Without it, a
// target that has a metric is refused.
//
// At the end the points of both are read and compared: as many, and equal sums of their hashes.

#pragma once

#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct MigrateOptions {
  StoreOptions store = {};  // settings of the target; `data` counts for nothing
  std::string from = {};    // a directory that has a store; none with to_engine=rocksdb
  std::string to = {};      // a directory that has none; none with to_engine=bigtable
  // bigtable: from a directory to the tables of the settings. rocksdb: from these to a directory.
  // Empty: from a directory to a directory.
  std::string to_engine = {};
  bool skip_compare = false;  // do not read both again
  // Which distributor the target's keys are to have, as `hourcell simulate` names them: none or
  // series-salt, as the settings say already. Empty: as the settings say.
  std::string distributor = {};
};

// Says what it migrated. kExitUsage: settings or directories make no sense; kExitFailure: a store
// cannot be read or written, does not fit the layout, or came out different.
int RunMigrate(const MigrateOptions& options, Terminal& terminal);

// `hourcell migrate` with these flags and words. The exit code is that of RunMigrate, or
// kExitUsage if they make no sense.
int MigrateMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
