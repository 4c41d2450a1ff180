#include "server/cli/lab/simulate_figure.h"

#include <cmath>
#include <ctime>
#include <limits>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bench/lab/simulate/heat_map.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/plot/output/write_figure.h"

namespace hourcell {
namespace {

constexpr uint64_t kMinuteMs = 60'000;
constexpr uint64_t kDayMs = 86'400'000;

// The start of a step: 1:05 or 1:05:20; 4d 1:05 in a map of three days or more.
std::string TimeLabel(uint64_t since_ms, const HeatMatrix& heat) {
  const bool has_days = heat.steps * heat.step_ms >= 3 * kDayMs;
  const bool has_seconds = heat.step_ms % kMinuteMs != 0 && heat.step_ms < 10 * kMinuteMs;
  const uint64_t seconds = since_ms / 1'000;
  const uint64_t hours = seconds / 3'600;
  std::string label =
      has_days ? fmt::format("{}d {}", hours / 24, hours % 24) : fmt::format("{}", hours);
  label += fmt::format(":{:02}", seconds / 60 % 60);
  if (has_seconds) label += fmt::format(":{:02}", seconds % 60);
  return label;
}

std::string UtcText(uint64_t ms) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(ms / 1'000)));
}

// The number of matrix cells per cell of the figure.
std::string JoinText(const HeatMatrix& whole, const HeatMatrix& shown) {
  const auto each = [](size_t of, size_t parts) { return (of + parts - 1) / parts; };
  if (shown.rows() == 0 || shown.steps == 0) return "";
  const size_t rows = each(whole.rows(), shown.rows());
  const size_t steps = each(whole.steps, shown.steps);
  if (rows * steps == 1) return "";
  return fmt::format("; a cell joins {} key ranges and {} steps", rows, steps);
}

}  // namespace

plot::Figure HeatFigure(const SimulationResult& result, const HeatFigureOptions& options) {
  const HeatMatrix heat = BinnedHeat(result.heat, options.rows_max, options.steps_max);
  plot::Figure figure{
      .kind = plot::FigureKind::kHeatMap,
      .title = fmt::format("{}: puts by key and time", result.design.name),
      .note = fmt::format("layout {}, distributor {}, {} regions, seed {}; grey is none{}",
                          result.design.layout, result.design.distributor, result.regions.size(),
                          result.design.settings.seed, JoinText(result.heat, heat)),
      .x = {.title = fmt::format("time since {}", UtcText(heat.start_ms))},
      .y = {.title = "first key of the range"},
      .color = {.title = "puts/s"},
      .width_px = options.width_px,
      .height_px = options.height_px};
  for (size_t step = 0; step < heat.steps; ++step)
    figure.x.categories.push_back(TimeLabel(step * heat.step_ms, heat));
  for (const std::string& start : heat.row_starts) {
    const std::string words = options.in_words ? result.words.Of(start) : std::string();
    figure.y.categories.push_back(words.empty() ? HeatRowLabel(start) : words);
  }
  const double seconds = static_cast<double>(heat.step_ms) / 1'000;
  for (const double puts : heat.puts) {
    figure.cells.push_back(puts > 0 ? puts / seconds : std::numeric_limits<double>::quiet_NaN());
  }
  return figure;
}

absl::Status CheckFigurePath(const std::string& path) {
  if (path.ends_with(".png") || path.ends_with(".svg")) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "--heatmap: expected a name that ends in .png or .svg, got {}", QuoteForMessage(path)));
}

absl::Status WriteHeatFigure(const SimulationResult& result,
                             const std::string& path,
                             const HeatFigureOptions& options) {
  HOURCELL_RETURN_IF_ERROR(CheckFigurePath(path));
  const plot::Figure figure = HeatFigure(result, options);
  return path.ends_with(".svg") ? plot::WriteSvg(figure, path) : plot::WritePng(figure, path);
}

}  // namespace hourcell
