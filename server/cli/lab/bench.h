// `hourcell bench layouts`: compares row-key layouts, cell forms, split rules and workloads on the
// real engine (bench/lab/layouts). Gives a table and a report.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct BenchOptions {
  std::vector<std::string> words = {};  // "layouts"
  bool is_short = false;
  bool is_thorough = false;
  bool is_full = false;
  std::vector<std::string> layouts = {};  // names or key templates; empty = all
  std::vector<std::string> cells = {};
  std::vector<std::string> rules = {};
  std::vector<std::string> workloads = {};
  std::string fleet = {};  // series of a described fleet (series_source.h), not workloads
  std::string from = {};   // series of an import file, or of a server's URL
  TlsTrust trust = {};     // of that server
  uint64_t points = 0;     // per case; 0 = by the size of the run
  uint64_t seed = 1;
  uint64_t rounds = 0;       // of each case; 0 = three, or fewer if they would take over a minute
  std::string out = {};      // directory of the report; empty = only the table
  bool resumes = false;      // the run whose report is in `out`
  std::string html = {};     // file for the report as an HTML page
  std::string scratch = {};  // directory for temporary stores; empty = $TMPDIR or memory
  bool lists_names = false;  // print the known names, and run no cases
};

// Prints progress on `err`, and on `out` the tables: first of a small sample, then of all rounds.
// SIGINT and SIGTERM end the run: it reports the finished cases, and returns 130 or 143.
// kExitUsage: an unknown name; kExitFailure: the series cannot be read, the store failed, an answer
// was wrong, the report cannot be written, or `out` lacks a run to resume.
int RunBench(const BenchOptions& options, Terminal& terminal);

// `hourcell bench` with these flags and words. The exit code is RunBench's, or kExitUsage if they
// are invalid.
int BenchMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
