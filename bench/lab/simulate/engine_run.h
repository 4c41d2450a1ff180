// EngineRun: puts a stream of rows into a new store and lets the engine cut its regions, as the
// reference for a simulation. Only the data table and RegionMaintenance run: rows have the given
// size and random bytes, and time is the stream's.
//
//   Put -> RegionLoads, Tables::ApplyUnlogged
//       -> when a region has the flush size in memory: Flush, RegionMaintenance::Tick and Trim
//
// Each flush waits for the LSM compactions, so that the regions do not depend on the machine.
//
// Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/regions/split/region_settings.h"
#include "engine/table/region_list.h"
#include "engine/table/region_store.h"
#include "engine/table/table.h"

namespace hourcell {

struct EngineRunOptions {
  std::string directory = {};  // must not hold a store
  RegionSettings regions = {};
  std::vector<std::string> split_keys = {};  // ascending; empty = one region
  uint64_t start_ms = 0;
  uint64_t seed = 1;  // of the bytes
};

class EngineRun {
 public:
  virtual ~EngineRun() = default;

  // Writes a row once, with about `bytes` in a file, including its key. Times never go back.
  // Storage's errors.
  virtual absl::Status Put(std::string_view key, uint64_t bytes, uint64_t now_ms) = 0;

  // Flushes, and runs the region maintenance until the number of regions is stable.
  virtual absl::Status Finish() = 0;

  // Ascending by start.
  virtual absl::StatusOr<std::vector<RegionUse>> Regions() = 0;
};

// kFailedPrecondition: the directory has a store. kInvalidArgument: invalid split keys. Else
// storage's errors.
absl::StatusOr<std::unique_ptr<EngineRun>> OpenEngineRun(const EngineRunOptions& options);

}  // namespace hourcell
