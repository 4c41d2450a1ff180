#include "server/plot/figure.h"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/status_macros.h"

namespace hourcell::plot {
namespace {

absl::Status Fault(const Figure& figure, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("figure \"{}\": {}", figure.title, what));
}

absl::Status CheckAxis(const Figure& figure, std::string_view name, const Axis& axis) {
  for (const auto& end : {axis.min, axis.max}) {
    if (!end.has_value()) continue;
    const bool is_in_range = std::fabs(*end) <= kAxisMax;  // false for NaN
    if (!is_in_range || (axis.is_log && *end < 1 / kAxisMax)) {
      return Fault(figure, fmt::format("{} axis: expected a {} number, got an end of {}", name,
                                       axis.is_log ? "positive" : "finite", *end));
    }
  }
  if (axis.min.has_value() && axis.max.has_value() && *axis.min >= *axis.max) {
    return Fault(figure, fmt::format("{} axis: expected the lower end first, got {} to {}", name,
                                     *axis.min, *axis.max));
  }
  return absl::OkStatus();
}

absl::Status CheckHeatMap(const Figure& figure) {
  const size_t rows = figure.y.categories.size();
  const size_t per_row = figure.x.categories.size();
  if (rows == 0 || per_row == 0) {
    return Fault(figure, fmt::format("expected some, got {} rows of {} cells", rows, per_row));
  }
  if (figure.cells.size() != rows * per_row) {
    return Fault(figure, fmt::format("expected {} rows of {}, got {} cells", rows, per_row,
                                     figure.cells.size()));
  }
  return CheckAxis(figure, "color", figure.color);
}

absl::Status CheckSeries(const Figure& figure, const Series& series) {
  const bool is_bars = figure.kind == FigureKind::kBars;
  const size_t want = is_bars ? figure.x.categories.size() : series.x.size();
  if (want == 0 && figure.empty_text.empty()) {
    return Fault(figure, fmt::format("series \"{}\" has no {}", series.name,
                                     is_bars ? "categories" : "points"));
  }
  if (series.y.size() != want) {
    return Fault(figure, fmt::format("series \"{}\": expected {} values, got {}", series.name, want,
                                     series.y.size()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckFigure(const Figure& figure) {
  for (const uint32_t px : {figure.width_px, figure.height_px}) {
    if (px < kFigurePxMin || px > kFigurePxMax) {
      return Fault(figure, fmt::format("expected {} to {}, got a side of {} pixels", kFigurePxMin,
                                       kFigurePxMax, px));
    }
  }
  HOURCELL_RETURN_IF_ERROR(CheckAxis(figure, "x", figure.x));
  HOURCELL_RETURN_IF_ERROR(CheckAxis(figure, "y", figure.y));
  HOURCELL_RETURN_IF_ERROR(CheckAxis(figure, "y2", figure.y2));
  if (figure.kind == FigureKind::kHeatMap) return CheckHeatMap(figure);
  if (figure.series.empty() && figure.empty_text.empty()) {
    return Fault(figure, "expected one at least, got no series");
  }
  for (const Series& series : figure.series)
    HOURCELL_RETURN_IF_ERROR(CheckSeries(figure, series));
  return absl::OkStatus();
}

}  // namespace hourcell::plot
