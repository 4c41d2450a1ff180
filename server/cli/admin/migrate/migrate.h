// `hourcell migrate`: copies a store into another layout (other UID widths, with or without a salt,
// another order of the key's fields, another form of cells) or onto another storage engine.
//
//   names ── points, a row at a time ── annotations ── histograms ── TTLs ── flush ── compare
//
// After the names come the virtual metrics, and after the TTLs the texts of UIDs and series.
//
// No other process may have either store open. The source does not change, except that its journal
// becomes cells. Names get UIDs in the order of the source's UIDs. The UIDs are therefore the same
// if the widths are the same and the source has no gaps. Expired points are not copied.
//
// You may repeat a migration that was ended: it begins at the start and overwrites the points it
// has already copied. A file `migration` in the target marks it as incomplete; a non-empty target
// without this file is refused.
//
// Between engines, a file next to the directory, <directory>.migration, lists the metrics whose
// points are in the target (import_state.h), and a repeated migration continues after them. Without
// this file, a target with metrics is refused.
//
// At the end, it reads the points of both stores and compares their numbers and the sums of their
// hashes.

#pragma once

#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct MigrateOptions {
  StoreOptions store = {};  // settings of the target; `data` is ignored
  std::string from = {};    // the directory of a store; ignored with to_engine=rocksdb
  std::string to = {};      // a new or empty directory; ignored with to_engine=bigtable
  // bigtable: from a directory to the tables of the settings. rocksdb: from these to a directory.
  // Empty: from a directory to a directory.
  std::string to_engine = {};
  bool skip_compare = false;  // do not read both stores again
  // The distributor of the target's keys, with its name in `hourcell simulate`: none or
  // series-salt. It must agree with the settings. Empty: as in the settings.
  std::string distributor = {};
};

// Prints a summary of the migration. kExitUsage: invalid settings or directories; kExitFailure: a
// store cannot be read or written, does not fit the layout, or the points differ at the end.
int RunMigrate(const MigrateOptions& options, Terminal& terminal);

// `hourcell migrate` with these flags and words. The exit code is RunMigrate's, or kExitUsage if
// they are invalid.
int MigrateMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
