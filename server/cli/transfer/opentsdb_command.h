// `hourcell opentsdb`: the tables of an OpenTSDB on Bigtable.
//
//   adopt    the store of the settings takes over the tables that it shares
//            (engine/opentsdb/adoption.h); at the end its points are counted by another open
//   export   the points, names and annotations of a store, of any engine, as OpenTSDB's rows
//            (engine/opentsdb/give_back.h)
//
// Both are for a store that no process has open, and for tables to which no OpenTSDB writes.

#pragma once

#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct OpenTsdbCommand {
  StoreOptions store = {};
  bool skip_errors = false;   // adopt: tell faults, and leave out what they are of
  bool skip_compare = false;  // adopt: do not count the points again
};

// Say what was done on `out`. kExitUsage: settings make no sense, or this build has no Bigtable;
// kExitFailure: a fault, tables or a store cannot be read or written, or the counts differ.
int RunOpenTsdbAdopt(const OpenTsdbCommand& command, Terminal& terminal);
int RunOpenTsdbExport(const OpenTsdbCommand& command, Terminal& terminal);

// `hourcell opentsdb` with these flags and words.
int OpenTsdbMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
