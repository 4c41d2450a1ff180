// `hourcell bench layouts`: row-key layouts, cell forms, split rules and workloads on the real
// engine (bench/lab/layouts), as a table and a report.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/cli/terminal.h"

namespace hourcell {

struct BenchOptions {
  std::vector<std::string> words = {};  // "layouts"
  bool is_short = false;
  bool is_full = false;
  std::vector<std::string> layouts = {};  // names or key templates; empty = all
  std::vector<std::string> cells = {};
  std::vector<std::string> rules = {};
  std::vector<std::string> workloads = {};
  uint64_t points = 0;  // of a case; 0 = by the size of the run
  uint64_t seed = 1;
  std::string out = {};      // directory of the report; empty = the table alone
  std::string html = {};     // a file that the report is written to as a page
  std::string scratch = {};  // where stores are made and removed; empty = the temporary directory
  bool lists_names = false;  // print what there is, and run nothing
};

// Progress goes to `err`, the tables to `out`. kExitUsage: an unknown name; kExitFailure: the store
// failed, an answer was wrong, or the report cannot be written.
int RunBench(const BenchOptions& options, Terminal& terminal);

// `hourcell bench` with these flags and words. The exit code is that of RunBench, or
// kExitUsage if they make no sense.
int BenchMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
