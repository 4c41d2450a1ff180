// GraphLook: the look of a graph, from the parameters of OpenTSDB's /q. If a parameter is repeated,
// the last one counts.
//
//   wxh=1024x768         pixels, 100x100 to 4000x4000
//   yrange=[0:100]       the ends of an axis; either may be left out; y2range: of the right axis
//   ylog, y2log          logarithmic
//   title, ylabel, y2label   texts of at most 200 bytes
//   yformat=%.2f         of the numbers of an axis (number_format.h); y2format; xformat=%H:%M, of
//                        strftime, for times
//   key=out right top box   where the names of series are; nokey: nowhere
//   bgcolor=xRRGGBB      or transparent; fgcolor=xRRGGBB: of texts and axes
//   style=linespoint     lines, points, linespoints, dots, impulses, steps, and some of gnuplot's
//                        other words for these
//   smooth=csplines      curves instead of straight lines; unique: straight ones
//   o=axis x1y2          one for each sub query, or none: which of them are on the right axis
//   tz=Europe/Berlin     the clock of the time axis
//
// No text of a request reaches another program: the server draws the picture. Pure, apart from time
// zone tables; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "server/graph/number_format.h"
#include "server/http/http_message.h"
#include "server/plot/figure.h"

namespace hourcell {

inline constexpr uint32_t kGraphPxMin = 100;
inline constexpr uint32_t kGraphPxMax = 4'000;
inline constexpr size_t kGraphTextBytesMax = 200;

struct GraphAxisLook {
  std::optional<double> min = {};
  std::optional<double> max = {};
  bool is_log = false;
  std::string label = {};
  std::optional<NumberFormat> format = {};
};

struct GraphLook {
  uint32_t width_px = 1'024;
  uint32_t height_px = 768;
  std::string title = {};
  std::string x_format = {};  // empty: by the length of the range
  absl::TimeZone zone = absl::UTCTimeZone();
  GraphAxisLook y = {};
  GraphAxisLook y2 = {};
  plot::LegendPlace legend = plot::LegendPlace::kAbove;
  bool has_legend_box = false;
  plot::Theme theme = {};
  plot::LineStyle style = plot::LineStyle::kAuto;
  bool is_smooth = false;
  std::vector<bool> is_right = {};  // by sub query; empty: all are on the left axis

  bool IsRight(size_t query) const { return query < is_right.size() && is_right[query]; }
};

// `timezone` applies to requests without one; empty = UTC. kInvalidArgument: with the parameter,
// the actual and the expected value.
absl::StatusOr<GraphLook> ParseGraphLook(const HttpRequest& request, std::string_view timezone);

// Checks for one "o" for each "m", or none. kInvalidArgument: another number.
absl::Status CheckGraphOptions(const HttpRequest& request);

}  // namespace hourcell
