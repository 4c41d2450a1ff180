// `hourcell opentsdb`: works on the tables of an OpenTSDB on Bigtable.
//
//   adopt    the store of the settings adopts the tables that it shares
//            (engine/opentsdb/adoption.h); at the end, a second open counts its points
//   export   writes the points, names and annotations of a store, of any engine, as OpenTSDB's rows
//            (engine/opentsdb/give_back.h)
//
// REQUIRES: no process has the store open, and no OpenTSDB writes to the tables.

#pragma once

#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct OpenTsdbCommand {
  StoreOptions store = {};
  bool skip_errors = false;   // adopt: report faults, and skip their data
  bool skip_compare = false;  // adopt: do not count the points again
};

// Print a summary on `out`. kExitUsage: invalid settings, or a build without Bigtable;
// kExitFailure: a fault, tables or a store cannot be read or written, or the counts differ.
int RunOpenTsdbAdopt(const OpenTsdbCommand& command, Terminal& terminal);
int RunOpenTsdbExport(const OpenTsdbCommand& command, Terminal& terminal);

// `hourcell opentsdb` with these flags and words.
int OpenTsdbMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
