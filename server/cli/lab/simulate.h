// `hourcell simulate`: what a design of row keys and regions will do, without a store.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "server/cli/local_store.h"
#include "server/cli/terminal.h"

namespace hourcell {

enum class SimulateFormat : uint8_t { kTable, kClassic, kCsv, kJson };

struct SimulateOptions {
  // Where the puts come from: one of these.
  std::string fleet = {};  // fleet.h; all empty = a fleet of its defaults
  std::string trace = {};  // a file of put lines
  std::string keys = {};   // a file of keys
  uint64_t ids = 0;
  bool from_store = false;
  StoreOptions store = {};  // of from_store; its settings are those of the design, too

  uint64_t rate = 100'000;  // ids or keys a second
  std::string layout = {};  // empty = opentsdb; of ids: id; of a store: stored
  std::string distributor = "none";
  std::string presplit = {};
  std::string engine = "hourcell";
  std::string site = {};  // hbase-site.xml or a properties file
  uint64_t seed = 1;
  std::vector<std::string> designs = {};  // design_text.h; empty = the one of the options above

  SimulateFormat format = SimulateFormat::kTable;
  bool heat = false;
  std::string heatmap = {};  // a .png or .svg file that the map of keys and time is drawn to
  std::string html = {};     // a file that the report is written to as a page
  size_t regions_max = 40;
  size_t timeline_max = 20;
  // An empty directory, in which the engine makes the same regions; empty = it does not.
  std::string validate = {};
  double ratio_max = 0;     // 0 = any
  std::string window = {};  // such as 1m; empty = by itself
  std::string settle = {};  // such as 1h, that pass after the last put
};

// kExitUsage: options that make no sense; kExitFailure: a file or store that cannot be read or
// written, and a design whose hottest region has more than ratio_max times the mean.
int RunSimulate(const SimulateOptions& options, Terminal& terminal);

// `hourcell simulate` with these flags and words. The exit code is that of RunSimulate, or
// kExitUsage if they make no sense.
int SimulateMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
