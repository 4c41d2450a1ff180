// Figure: a chart as a value. One struct describes all three kinds:
//
//   kBars      series[s].y[c] is the bar of series s in the group of category x.categories[c]
//   kLines     series[s] is a line through (x[i], y[i]); x ascends
//   kHeatMap   cells[r * x.categories.size() + c] is the colour in row y.categories[r], from the
//              top, and above x.categories[c]; `color` is the axis of the colours
//
// A NaN value is not drawn: no bar, a gap in a line, a blank cell. On a logarithmic axis, values
// that are not positive are not drawn either. Not thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "server/plot/palette.h"
#include "server/plot/scene.h"
#include "server/plot/ticks.h"

namespace hourcell::plot {

enum class FigureKind : uint8_t { kBars, kLines, kHeatMap };

// How a series of a kLines chart is drawn.
enum class LineStyle : uint8_t {
  kAuto,  // a line, with a dot for each point if they are few
  kLines,
  kPoints,
  kLinesPoints,
  kDots,      // small points
  kImpulses,  // a line from the base to each point
  kSteps,     // a value lasts until the next point
};

struct Axis {
  std::string title = {};  // with the unit: "write rate, points/s"
  bool is_log = false;
  std::vector<std::string> categories = {};  // instead of numbers, for kinds with categories
  // Ends of the axis; unset: from the data, rounded outwards to ticks.
  std::optional<double> min = {};
  std::optional<double> max = {};
  // Ends that are set are used exactly, not rounded.
  bool is_exact = false;
  // A linear y axis of lines always includes zero.
  bool shows_zero = true;
  std::vector<Tick> ticks = {};                   // instead of round numbers; ascending
  std::function<std::string(double)> label = {};  // the text of a number; null = NumberText

  std::string LabelOf(double value) const { return label ? label(value) : NumberText(value); }
};

struct Series {
  std::string name = {};  // for the legend
  std::vector<double> x = {};
  std::vector<double> y = {};
  // Of lines:
  bool is_right = false;  // its values are on the y2 axis
  LineStyle style = LineStyle::kAuto;
  bool is_smooth = false;  // a curve through the points, which stays between neighbours
};

struct Theme {
  std::optional<Color> ground = kWhite;  // nothing = transparent
  Color ink = kBlack;
  Color note = kGrey;
  Color grid = kGridGrey;
};

enum class LegendPlace : uint8_t {
  kNone,
  kAbove,
  kRight,  // of the area
  kTopLeft,
  kTopRight,
  kBottomLeft,
  kBottomRight,  // these four are in the area
};

struct Figure {
  FigureKind kind = FigureKind::kBars;
  std::string title = {};
  std::string note = {};  // small, below the title: the source of the data; may be empty
  Axis x = {};
  Axis y = {};
  Axis y2 = {};     // of lines: on the right
  Axis color = {};  // of a heat map
  std::vector<Series> series = {};
  std::vector<double> cells = {};  // of a heat map, row by row
  uint32_t width_px = 960;
  uint32_t height_px = 540;
  Theme theme = {};
  LegendPlace legend = LegendPlace::kAbove;
  bool has_legend_box = false;
  // For kLines: written into the area if there are no points. Without it, the figure must have
  // points.
  std::string empty_text = {};
};

inline constexpr uint32_t kFigurePxMin = 100;
inline constexpr uint32_t kFigurePxMax = 8'000;
// The largest end of an axis, and the inverse of the smallest positive end.
inline constexpr double kAxisMax = 1e150;

// kInvalidArgument, with the title, the problem, the actual and the expected value: no data, sizes
// that do not fit together, an axis that ends before it begins, pixels out of range.
absl::Status CheckFigure(const Figure& figure);

}  // namespace hourcell::plot
