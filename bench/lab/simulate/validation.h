// Validation: compares a simulated table with the engine's table of the same puts, region by
// region. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/lab/simulate/simulation.h"

namespace hourcell {

// A region of the engine.
struct MeasuredRegion {
  std::string start = {};
  uint64_t bytes = 0;
};

struct Validation {
  size_t model_regions = 0;
  size_t engine_regions = 0;
  size_t equal_starts = 0;  // regions of the engine with the start of a region of the model
  uint64_t model_bytes = 0;
  uint64_t engine_bytes = 0;
  // For regions that begin and end at the same keys: |model / engine - 1| of their shares of all
  // bytes; the model does not predict the bytes of a row on disk.
  size_t equal_regions = 0;
  double share_error_mean = 0;
  double share_error_max = 0;
  // The greatest difference between the sizes of regions in order of size, as a share of the mean:
  // the difference of the two tables if their bounds differ.
  double size_error_max = 0;
};

// Both ascending by start. A region of the model counts with its files and its memory.
Validation Validate(std::span<const SimulatedRegion> model, std::span<const MeasuredRegion> engine);

// A line for each region of either, and the figures.
std::string ValidationText(std::span<const SimulatedRegion> model,
                           std::span<const MeasuredRegion> engine);

}  // namespace hourcell
