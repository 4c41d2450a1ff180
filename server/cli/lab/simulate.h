// `hourcell simulate`: predicts the behavior of a design of row keys and regions, without a store.

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
  // The source of the puts: one of these.
  std::string fleet = {};  // fleet.h; all empty = a fleet of its defaults
  std::string trace = {};  // a file of put lines
  std::string keys = {};   // a file of keys
  uint64_t ids = 0;
  bool from_store = false;
  StoreOptions store = {};  // for from_store; its settings are also the design's

  uint64_t rate = 100'000;  // ids or keys per second
  std::string layout = {};  // empty = opentsdb; for ids: id; for a store: stored
  std::string distributor = "none";
  std::string presplit = {};
  std::string engine = "hourcell";
  std::string site = {};  // hbase-site.xml or a properties file
  uint64_t seed = 1;
  std::vector<std::string> designs = {};  // design_text.h; empty = the design of the options above

  SimulateFormat format = SimulateFormat::kTable;
  bool heat = false;
  std::string heatmap = {};  // a .png or .svg file for the map of keys and time
  std::string html = {};     // file for the report as an HTML page
  size_t regions_max = 40;
  size_t timeline_max = 20;
  // An empty directory in which the engine makes the same regions; empty = skip this check.
  std::string validate = {};
  double ratio_max = 0;     // 0 = any
  std::string window = {};  // such as 1m; empty = automatic
  std::string settle = {};  // such as 1h: time to simulate after the last put
};

// kExitUsage: invalid options; kExitFailure: a file or store cannot be read or written, or the
// hottest region of a design has more than ratio_max times the mean.
int RunSimulate(const SimulateOptions& options, Terminal& terminal);

// `hourcell simulate` with these flags and words. The exit code is RunSimulate's, or kExitUsage if
// they are invalid.
int SimulateMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
