// Validation: a simulated table beside one that the engine made of the same puts, region by region.
// Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/lab/simulate/simulation.h"

namespace hourcell {

// A region that the engine has.
struct MeasuredRegion {
  std::string start = {};
  uint64_t bytes = 0;
};

struct Validation {
  size_t model_regions = 0;
  size_t engine_regions = 0;
  size_t equal_starts = 0;  // regions of the engine that begin where one of the model does
  uint64_t model_bytes = 0;
  uint64_t engine_bytes = 0;
  // Of regions that begin and end at the same keys: |model / engine - 1| of their shares of all
  // bytes; what a row takes on disk is not the model's business.
  size_t equal_regions = 0;
  double share_error_mean = 0;
  double share_error_max = 0;
  // The greatest difference of the sizes of regions in order of size, as a share of the mean: how
  // unlike the two tables are where their bounds differ.
  double size_error_max = 0;
};

// Both ascending by start. A region of the model counts with its files and its memory.
Validation Validate(std::span<const SimulatedRegion> model, std::span<const MeasuredRegion> engine);

// A line for each region of either, and the figures.
std::string ValidationText(std::span<const SimulatedRegion> model,
                           std::span<const MeasuredRegion> engine);

}  // namespace hourcell
