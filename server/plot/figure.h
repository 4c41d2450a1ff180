// Figure: a chart as a value. One struct describes the three kinds there are:
//
//   kBars      series[s].y[c] is the bar of series s in the group of category x.categories[c]
//   kLines     series[s] is a line through (x[i], y[i])
//   kHeatMap   cells[r * x.categories.size() + c] is the colour in row y.categories[r], from the
//              top, and above x.categories[c]; `color` is the axis of the colours
//
// A value that is NaN is not drawn: no bar, a gap in a line, a blank cell. On a logarithmic axis
// the same goes for values that are not positive. Not thread-safe and need not be.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>

namespace hourcell::plot {

enum class FigureKind : uint8_t { kBars, kLines, kHeatMap };

struct Axis {
  std::string title = {};  // with the unit: "write rate, points/s"
  bool is_log = false;
  std::vector<std::string> categories = {};  // instead of numbers, where the kind says so
  // Ends of the axis; from the data if not set. Rounded outwards to ticks.
  std::optional<double> min = {};
  std::optional<double> max = {};
};

struct Series {
  std::string name = {};  // for the legend
  std::vector<double> x = {};
  std::vector<double> y = {};
};

struct Figure {
  FigureKind kind = FigureKind::kBars;
  std::string title = {};
  std::string note = {};  // small, below the title: how the data came about; may be empty
  Axis x = {};
  Axis y = {};
  Axis color = {};  // of a heat map
  std::vector<Series> series = {};
  std::vector<double> cells = {};  // of a heat map, row by row
  uint32_t width_px = 960;
  uint32_t height_px = 540;
};

inline constexpr uint32_t kFigurePxMin = 240;
inline constexpr uint32_t kFigurePxMax = 8'000;

// kInvalidArgument, with the title, what is wrong, what was got and what is wanted: no data, sizes
// that do not fit together, an axis that ends before it begins, pixels out of range.
absl::Status CheckFigure(const Figure& figure);

}  // namespace hourcell::plot
