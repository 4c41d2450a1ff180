#include "server/plot/line_chart.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "server/plot/frame.h"
#include "server/plot/palette.h"
#include "server/plot/scale.h"

namespace hourcell::plot {
namespace {

constexpr size_t kDottedPointsMax = 40;

std::vector<double> AllValues(const Figure& figure, std::vector<double> Series::* member) {
  std::vector<double> values;
  for (const Series& series : figure.series)
    values.insert(values.end(), (series.*member).begin(), (series.*member).end());
  return values;
}

std::vector<AxisLabel> TickLabels(const Scale& scale) {
  std::vector<AxisLabel> labels;
  for (const Tick& tick : scale.ticks())
    labels.push_back({.share = *scale.Share(tick.value), .text = tick.label});
  return labels;
}

class LineDrawer {
 public:
  LineDrawer(const Series& series, size_t index, Scene* scene)
      : series_(series), index_(index), scene_(*scene) {}

  void Draw(const Scale& x_scale, const Scale& y_scale) {
    for (size_t i = 0; i < series_.y.size(); ++i) {
      const auto x = x_scale.Map(series_.x[i]);
      const auto y = y_scale.Map(series_.y[i]);
      if (!x.has_value() || !y.has_value()) {
        EndStretch();
        continue;
      }
      stretch_.push_back({*x, *y});
      if (series_.y.size() <= kDottedPointsMax) DrawDot({*x, *y}, i);
    }
    EndStretch();
  }

 private:
  void EndStretch() {
    if (stretch_.size() > 1) {
      scene_.marks.emplace_back(LineMark{.places = stretch_,
                                         .color = SeriesColor(index_),
                                         .width = 2,
                                         .dash = SeriesDash(index_),
                                         .role = "line",
                                         .tip = series_.name});
    }
    stretch_.clear();
  }

  void DrawDot(Place at, size_t i) {
    scene_.marks.emplace_back(
        DotMark{.center = at,
                .radius = 3.5,
                .fill = SeriesColor(index_),
                .role = "dot",
                .tip = fmt::format("{}: {}, {}", series_.name, NumberText(series_.x[i]),
                                   NumberText(series_.y[i]))});
  }

  const Series& series_;
  const size_t index_;
  Scene& scene_;
  std::vector<Place> stretch_;
};

}  // namespace

void DrawLines(const Figure& figure, Scene* scene) {
  HOURCELL_CHECK(figure.kind == FigureKind::kLines);
  Scale x_scale(figure.x, AllValues(figure, &Series::x), /*has_zero=*/false, /*ticks=*/9);
  Scale y_scale(figure.y, AllValues(figure, &Series::y), /*has_zero=*/true, /*ticks=*/7);
  FrameSpec spec{.x = TickLabels(x_scale),
                 .y = TickLabels(y_scale),
                 .has_x_grid = true,
                 .has_y_grid = true,
                 .skips_x_labels = true};
  for (size_t s = 0; s < figure.series.size(); ++s) {
    spec.legend.push_back({.name = figure.series[s].name,
                           .color = SeriesColor(s),
                           .is_line = true,
                           .dash = SeriesDash(s)});
  }
  const Area area = DrawFrame(figure, spec, scene);
  x_scale.SetPixels({.low = area.left, .high = area.right});
  y_scale.SetPixels({.low = area.bottom, .high = area.top});
  for (size_t s = 0; s < figure.series.size(); ++s)
    LineDrawer(figure.series[s], s, scene).Draw(x_scale, y_scale);
}

}  // namespace hourcell::plot
