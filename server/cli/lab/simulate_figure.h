// The heat map of a simulation as a picture: ranges of keys from top to bottom, time from left to
// right, points a second as colours. Pure but for the file.

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
  // More ranges and steps are joined: a cell has six pixels of this height, and five of this width.
  size_t rows_max = 96;
  size_t steps_max = 192;
  bool in_words = false;  // keys that are known in words are
};

// A cell is the puts of a place of the matrix over its time, puts/s; places without puts stay
// blank. An empty matrix gives a figure that CheckFigure refuses.
plot::Figure HeatFigure(const SimulationResult& result, const HeatFigureOptions& options = {});

// kInvalidArgument: a path that ends in neither .png nor .svg.
absl::Status CheckFigurePath(const std::string& path);

// Replaces the file at `path`, in the format that its end names. Errors as CheckFigurePath and
// WriteSvg.
absl::Status WriteHeatFigure(const SimulationResult& result,
                             const std::string& path,
                             const HeatFigureOptions& options = {});

}  // namespace hourcell
