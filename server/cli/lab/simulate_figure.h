// Draws the heat map of a simulation: key ranges from top to bottom, time from left to right,
// points per second as colors. Pure except for writing the file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <absl/status/status.h>

#include "bench/lab/simulate/simulation.h"
#include "server/plot/figure.h"

namespace hourcell {

struct HeatFigureOptions {
  uint32_t width_px = 1'200;
  uint32_t height_px = 720;
  // Further ranges and steps are joined: a cell has six pixels of this height, and five of this
  // width.
  size_t rows_max = 96;
  size_t steps_max = 192;
  bool in_words = false;  // describe keys in words where possible
};

// A cell is the puts of a matrix cell divided by its time, in puts/s; cells without puts stay
// blank. CheckFigure refuses the figure of an empty matrix.
plot::Figure HeatFigure(const SimulationResult& result, const HeatFigureOptions& options = {});

// kInvalidArgument: a path that ends in neither .png nor .svg.
absl::Status CheckFigurePath(const std::string& path);

// Replaces the file at `path`; the end of the name selects the format. Errors as CheckFigurePath
// and WriteSvg.
absl::Status WriteHeatFigure(const SimulationResult& result,
                             const std::string& path,
                             const HeatFigureOptions& options = {});

}  // namespace hourcell
