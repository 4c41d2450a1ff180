#include "server/plot/bar_chart.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "server/plot/frame.h"
#include "server/plot/palette.h"
#include "server/plot/scale.h"
#include "server/plot/text_width.h"

namespace hourcell::plot {
namespace {

constexpr double kGroupShare = 0.8;  // of its slot
constexpr double kValueSize = 10;

std::vector<double> BarValues(const Figure& figure) {
  std::vector<double> values;
  for (const Series& series : figure.series)
    values.insert(values.end(), series.y.begin(), series.y.end());
  return values;
}

// The text above a bar.
std::string ValueText(double value) {
  const double power = value == 0 ? 1 : std::pow(10, std::floor(std::log10(std::fabs(value))) - 2);
  return NumberText(std::round(value / power) * power);
}

// True if all values fit above bars of `width` pixels. If only some had their text, they would look
// special.
bool HaveRoom(const std::vector<double>& values, double width) {
  return std::ranges::all_of(values, [width](double value) {
    return !std::isfinite(value) || TextWidth(ValueText(value), kValueSize) <= width + 6;
  });
}

}  // namespace

void DrawBars(const Figure& figure, Scene* scene) {
  HOURCELL_CHECK(figure.kind == FigureKind::kBars);
  const std::vector<double> values = BarValues(figure);
  Scale scale(figure.y, values, /*has_zero=*/true, /*ticks=*/7);
  FrameSpec spec{.x = CategoryLabels(figure.x.categories), .has_y_grid = true};
  for (const Tick& tick : scale.ticks())
    spec.y.push_back({.share = *scale.Share(tick.value), .text = tick.label});
  const size_t count = figure.series.size();
  for (size_t s = 0; s < count && count > 1; ++s)
    spec.legend.push_back({.name = figure.series[s].name, .color = SeriesColor(s)});
  const Area area = DrawFrame(figure, spec, scene);

  scale.SetPixels({.low = area.bottom, .high = area.top});
  const double slot = area.width() / static_cast<double>(figure.x.categories.size());
  const double width = slot * kGroupShare / static_cast<double>(count);
  const bool has_room = HaveRoom(values, width);
  for (size_t c = 0; c < figure.x.categories.size(); ++c) {
    const double left = area.left + slot * (static_cast<double>(c) + (1 - kGroupShare) / 2);
    for (size_t s = 0; s < count; ++s) {
      const double value = figure.series[s].y[c];
      const std::optional<double> y = scale.Map(value);
      if (!y.has_value()) continue;
      const double top = std::min(*y, scale.Base());
      const RectMark bar{.corner = {left + width * static_cast<double>(s), top},
                         .width = width * 0.94,
                         .height = std::max(1.0, std::max(*y, scale.Base()) - top),
                         .fill = SeriesColor(s),
                         .role = "bar",
                         .tip = fmt::format("{}, {}: {}", figure.x.categories[c],
                                            figure.series[s].name, NumberText(value))};
      scene->marks.emplace_back(bar);
      if (!has_room) continue;
      scene->marks.emplace_back(TextMark{.at = {bar.corner.x + bar.width / 2, bar.corner.y - 3},
                                         .text = ValueText(value),
                                         .size = kValueSize,
                                         .anchor = Anchor::kMiddle,
                                         .color = kGrey,
                                         .role = "value"});
    }
  }
}

}  // namespace hourcell::plot
