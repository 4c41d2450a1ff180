#include "server/plot/heat_map.h"

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

constexpr double kBarWidth = 16;
constexpr double kBarGap = 20;

class HeatMap {
 public:
  HeatMap(const Figure& figure, Scene* scene)
      : figure_(figure),
        scene_(*scene),
        scale_(figure.color, figure.cells, /*has_zero=*/!figure.color.is_log, /*ticks=*/6) {}

  void Draw() {
    FrameSpec spec{.x = CategoryLabels(figure_.x.categories),
                   .y = CategoryLabels(figure_.y.categories),
                   .right_margin = RightMargin(),
                   .skips_x_labels = true};
    for (AxisLabel& label : spec.y)
      label.share = 1 - label.share;  // the first row is on top
    area_ = DrawFrame(figure_, spec, &scene_);
    scene_.marks.emplace_back(
        RectMark{{area_.left, area_.top}, area_.width(), area_.height(), kBlankGrey, "ground", ""});
    for (size_t row = 0; row < figure_.y.categories.size(); ++row)
      DrawRow(row);
    DrawColorBar();
  }

 private:
  double RightMargin() const {
    double widest = 0;
    for (const Tick& tick : scale_.ticks())
      widest = std::max(widest, TextWidth(tick.label, kLabelSize));
    const double title = figure_.color.title.empty() ? 8 : 30;
    return kBarGap + kBarWidth + 8 + widest + title;
  }

  double Value(size_t row, size_t at) const { return figure_.cells[row * per_row() + at]; }
  size_t per_row() const { return figure_.x.categories.size(); }
  std::optional<Color> ColorAt(size_t row, size_t at) const {
    const std::optional<double> share = scale_.Share(Value(row, at));
    return share.has_value() ? std::optional(HeatColor(*share)) : std::nullopt;
  }

  void DrawRow(size_t row) {
    for (size_t begin = 0; begin < per_row();) {
      const std::optional<Color> color = ColorAt(row, begin);
      size_t end = begin + 1;
      while (end < per_row() && ColorAt(row, end) == color)
        ++end;
      if (color.has_value()) DrawRun(row, begin, end, *color);
      begin = end;
    }
  }

  void DrawRun(size_t row, size_t begin, size_t end, Color color) {
    const double width = area_.width() / static_cast<double>(per_row());
    const double height = area_.height() / static_cast<double>(figure_.y.categories.size());
    const std::string& first = figure_.x.categories[begin];
    const std::string last =
        end - begin == 1 ? "" : fmt::format(" to {}", figure_.x.categories[end - 1]);
    scene_.marks.emplace_back(
        RectMark{.corner = {area_.left + width * static_cast<double>(begin),
                            area_.top + height * static_cast<double>(row)},
                 .width = width * static_cast<double>(end - begin),
                 .height = height,
                 .fill = color,
                 .role = "cell",
                 .tip = fmt::format("{}, {}{}: {}", figure_.y.categories[row], first, last,
                                    NumberText(Value(row, begin)))});
  }

  void DrawColorBar() {
    const double left = area_.right + kBarGap;
    const double step = area_.height() / kHeatColors;
    for (int i = 0; i < kHeatColors; ++i) {
      scene_.marks.emplace_back(
          RectMark{.corner = {left, area_.bottom - step * (i + 1)},
                   .width = kBarWidth,
                   .height = step + 0.5,
                   .fill = HeatColor(static_cast<double>(i) / (kHeatColors - 1)),
                   .role = "color-bar"});
    }
    scale_.SetPixels({.low = area_.bottom, .high = area_.top});
    for (const Tick& tick : scale_.ticks()) {
      scene_.marks.emplace_back(
          TextMark{.at = {left + kBarWidth + 6, *scale_.Map(tick.value) + kLabelSize * 0.36},
                   .text = tick.label,
                   .size = kLabelSize,
                   .color = kBlack,
                   .role = "color-label"});
    }
    if (figure_.color.title.empty()) return;
    scene_.marks.emplace_back(TextMark{.at = {scene_.width - 10, (area_.top + area_.bottom) / 2},
                                       .text = figure_.color.title,
                                       .size = kLabelSize + 1,
                                       .anchor = Anchor::kMiddle,
                                       .degrees = -90,
                                       .color = kBlack,
                                       .role = "axis-title"});
  }

  const Figure& figure_;
  Scene& scene_;
  Scale scale_;
  Area area_;
};

}  // namespace

void DrawHeatMap(const Figure& figure, Scene* scene) {
  HOURCELL_CHECK(figure.kind == FigureKind::kHeatMap);
  HeatMap(figure, scene).Draw();
}

}  // namespace hourcell::plot
