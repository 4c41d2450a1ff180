#include "server/graph/graph_collector.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "server/graph/graph_points.h"
#include "server/graph/time_axis.h"

namespace hourcell {
namespace {

constexpr uint32_t kTickPx = 90;  // the least distance of ticks on the time axis
constexpr size_t kLineNameBytesMax = 400;

plot::Axis AxisOf(const GraphAxisLook& look, bool has_points) {
  plot::Axis axis{.title = look.label,
                  .is_log = look.is_log,
                  .min = look.min,
                  .max = look.max,
                  .is_exact = true,
                  .shows_zero = false};
  if (look.format.has_value()) {
    axis.label = [format = *look.format](double value) { return format.Print(value); };
  }
  if (has_points) return axis;
  constexpr double kEmptyMax = 10;  // OpenTSDB's range without points
  if (!axis.min.has_value() && !axis.max.has_value()) {
    axis.min = axis.is_log ? 1 : 0;
    axis.max = kEmptyMax;
  }
  return axis;
}

plot::Axis TimeAxisOf(const QuerySpec& spec, const GraphLook& look) {
  const int64_t end_ms = std::max(spec.end_ms, spec.start_ms + 1);
  const size_t ticks = std::max<size_t>(2, look.width_px / kTickPx);
  plot::Axis axis{.min = static_cast<double>(spec.start_ms),
                  .max = static_cast<double>(end_ms),
                  .is_exact = true,
                  .ticks = TimeTicks(spec.start_ms, end_ms, ticks, look.zone, look.x_format)};
  axis.label = [zone = look.zone](double ms) {
    return absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::FromUnixMillis(static_cast<int64_t>(ms)),
                            zone);
  };
  return axis;
}

}  // namespace

std::string GraphLineName(const SeriesView& series) {
  std::string name(series.metric);
  if (!series.tags.empty()) {
    name += '{';
    for (const auto& [tagk, tagv] : series.tags) {
      if (name.back() != '{') name += ", ";
      name.append(tagk).append("=").append(tagv);
      if (name.size() > kLineNameBytesMax) break;  // longer names are unreadable
    }
    name += '}';
  }
  return name;
}

GraphCollector::GraphCollector(const QuerySpec& spec, const GraphLook& look, MemoryAccount* memory)
    : spec_(spec), look_(look), memory_(memory) {}

absl::Status GraphCollector::OnSeries(const SeriesView& series) {
  if (series_.size() == kGraphSeriesMax) {
    return absl::ResourceExhaustedError(
        fmt::format("The graph has more than {} series; filter or group them, or ask for JSON",
                    kGraphSeriesMax));
  }
  const int64_t end_ms = std::max(spec_.end_ms, spec_.start_ms + 1);
  GraphPoints points = PointsToDraw(series.points, spec_.start_ms, end_ms, look_.width_px);
  points_ += points.size();
  if (points_ > kGraphPointsMax) {
    return absl::ResourceExhaustedError(fmt::format(
        "The graph has more than {} points, even with four for each pixel of its width; filter "
        "or group the series, or make it narrower (wxh)",
        kGraphPointsMax));
  }
  std::string name = GraphLineName(series);
  HOURCELL_RETURN_IF_ERROR(
      memory_.Take(points.size() * kGraphPointBytes + sizeof(plot::Series) + 2 * name.size()));
  has_points_ = has_points_ || points.size() > 0;
  series_.push_back({.name = std::move(name),
                     .x = std::move(points.t),
                     .y = std::move(points.v),
                     .is_right = look_.IsRight(series.query_index),
                     .style = look_.style,
                     .is_smooth = look_.is_smooth});
  return absl::OkStatus();
}

plot::Figure GraphCollector::TakeFigure() {
  return {.kind = plot::FigureKind::kLines,
          .title = look_.title,
          .x = TimeAxisOf(spec_, look_),
          .y = AxisOf(look_.y, has_points_),
          .y2 = AxisOf(look_.y2, has_points_),
          .series = std::move(series_),
          .width_px = look_.width_px,
          .height_px = look_.height_px,
          .theme = look_.theme,
          .legend = look_.legend,
          .has_legend_box = look_.has_legend_box,
          .empty_text = "No data"};
}

}  // namespace hourcell
