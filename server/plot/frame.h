// The frame of a chart: background, title, note, legend, axes with their labels, grid. The chart
// uses the remaining area. Pure; thread-safe.
//
//   title
//   note
//   [] series  [] series                legend above the area (legend.h)
//   y title | y label |      area     | y2 label | y2 title | right margin
//                       x label          turned if they are wide
//                       x title

#pragma once

#include <string>
#include <vector>

#include "server/plot/figure.h"
#include "server/plot/legend.h"
#include "server/plot/scene.h"
#include "server/plot/ticks.h"

namespace hourcell::plot {

inline constexpr double kLabelSize = 12;  // of a font, in pixels

struct Area {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

// A text on an axis, at a share of its length from its lower end.
struct AxisLabel {
  double share = 0;
  std::string text = {};
};

struct FrameSpec {
  std::vector<AxisLabel> x = {};  // ascending
  std::vector<AxisLabel> y = {};
  std::vector<AxisLabel> y2 = {};  // empty: the right side has no axis
  std::vector<LegendEntry> legend = {};
  double right_margin = 24;
  bool has_x_grid = false;
  bool has_y_grid = false;
  // Leave out x labels that do not fit, instead of turning them.
  bool skips_x_labels = false;
};

// Draws the frame and returns the area within.
Area DrawFrame(const Figure& figure, const FrameSpec& spec, Scene* scene);

// Names in the middle of equal slots, the first at the lower end.
std::vector<AxisLabel> CategoryLabels(const std::vector<std::string>& names);

}  // namespace hourcell::plot
