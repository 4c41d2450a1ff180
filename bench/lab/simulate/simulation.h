// Simulation: one design of a table, run against one stream of puts. The design defines the keys
// and their distribution, the first regions, and the region settings; the stream is the same for
// every compared design.
//
//   PutSource -> KeyTemplate -> KeyDistributor -> TableModel -> SimulationResult
//
// Pure: no file, no clock. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "bench/lab/simulate/heat_map.h"
#include "bench/lab/simulate/input/key_words.h"
#include "bench/lab/simulate/input/put_source.h"
#include "bench/lab/simulate/model/model_settings.h"
#include "bench/lab/simulate/model/table_model.h"
#include "bench/lab/simulate/model/timeline.h"
#include "bench/lab/simulate/model/window_stats.h"
#include "bench/lab/simulate/region_report.h"

namespace hourcell {

struct SimulationDesign {
  std::string name = "design";
  std::string layout = "opentsdb";   // key_template.h; "stored" = keys of the source as they are
  std::string distributor = "none";  // distributor_spec.h
  // presplit.h, or "sample:16" for 16 regions by a sample of the stream's own keys; empty = none.
  // `presplit_file` is the contents of the file of "file:".
  std::string presplit = {};
  std::string presplit_file = {};
  ModelSettings settings = {};
};

// One region at the end.
struct SimulatedRegion {
  RegionInfo info = {};
  uint64_t puts = 0;  // all puts so far to the keys of its range
  uint64_t rows = 0;  // present now, like the next ones
  uint64_t cells = 0;
  uint64_t hbase_bytes = 0;     // as HBase's KeyValues
  uint64_t hourcell_bytes = 0;  // as Hourcell's packed cells
  uint64_t memory_bytes = 0;
  uint64_t file_bytes = 0;
  uint64_t files = 0;
  uint64_t flushes = 0;
  uint64_t flushed_bytes = 0;
  uint64_t rewrites = 0;
  uint64_t rewritten_bytes = 0;
  uint64_t threshold_bytes = 0;  // a larger region would be split; INT64_MAX = never
  uint64_t blocked = 0;
  uint64_t opened_ms = 0;
  double left_share = 0;      // of its parent's bytes, at the parent's cut
  double hot_share = 0;       // the greatest share of a window's puts
  double heaviest_share = 0;  // its heaviest row's share of its bytes
  std::string heaviest_row = {};
  std::string why_unsplittable = {};
};

struct SimulationResult {
  SimulationDesign design = {};
  std::string layout_fields = {};  // the template, names expanded
  uint64_t scan_ranges = 0;        // in a scan of one metric; 0 = all keys
  bool begins_with_time = false;
  std::vector<SimulatedRegion> regions = {};  // ascending by start
  std::vector<std::string> split_keys = {};   // the first regions
  TableTotals totals = {};
  SpreadOfCounts spread = {};  // of the puts over the regions
  double key_bytes = 0;        // of a row key, on average
  Timeline timeline = {};
  WindowStats windows = {};
  HeatMatrix heat = {};
  KeyWords words = {};
  uint64_t start_ms = 0;
  uint64_t end_ms = 0;
  uint64_t steps = 0;  // of the source

  double max_over_mean() const { return spread.max_over_mean; }
  // Bytes written to files per byte of puts.
  double write_amplification() const;
  uint64_t empty_regions() const;
};

// The progress of a run.
struct SimulationProgress {
  uint64_t done_ms = 0;   // of simulated time
  uint64_t total_ms = 0;  // 0 = not known
  uint64_t steps = 0;     // of the source
  size_t regions = 0;
};

struct SimulationOptions {
  uint64_t window_ms = 0;  // 0 = a minute, of rows an hour, or a 1,440th of the stream if longer
  uint64_t settle_ms = 0;  // to simulate after the last put
  size_t heat_rows = 24;
  HeatResolution heat_resolution = {};
  bool has_heat = true;
  bool flushes_together = false;  // TableModelOptions
  KeyNames key_names = {};        // of the source's keys
  // Called now and then; an error ends the run and is returned. May be empty.
  std::function<absl::Status(const SimulationProgress&)> watch = {};
};

// kInvalidArgument: an invalid layout, distributor, pre-split or setting; else errors of the
// source, the distributor or the watch; with the name of the design.
absl::StatusOr<SimulationResult> RunSimulation(const SimulationDesign& design,
                                               const PutSourceFactory& source,
                                               const SimulationOptions& options = {});

}  // namespace hourcell
