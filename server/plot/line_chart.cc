#include "server/plot/line_chart.h"

#include <algorithm>
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
constexpr double kSmoothStep = 3;  // pixels

std::vector<double> XValues(const Figure& figure) {
  std::vector<double> values;
  for (const Series& series : figure.series)
    values.insert(values.end(), series.x.begin(), series.x.end());
  return values;
}

std::vector<double> YValues(const Figure& figure, bool is_right) {
  std::vector<double> values;
  for (const Series& series : figure.series) {
    if (series.is_right != is_right) continue;
    values.insert(values.end(), series.y.begin(), series.y.end());
  }
  return values;
}

std::vector<AxisLabel> TickLabels(const Scale& scale) {
  std::vector<AxisLabel> labels;
  for (const Tick& tick : scale.ticks())
    labels.push_back({.share = *scale.Share(tick.value), .text = tick.label});
  return labels;
}

// A curve through the places that stays within the range of each two neighbours: Fritsch and
// Carlson's monotone cubic. REQUIRES: x ascends.
std::vector<Place> Smooth(const std::vector<Place>& places) {
  const size_t last = places.size() - 1;
  std::vector<double> slopes(last);
  for (size_t i = 0; i < last; ++i)
    slopes[i] = (places[i + 1].y - places[i].y) / std::max(1e-9, places[i + 1].x - places[i].x);
  std::vector<double> tangents(places.size(), 0);
  for (size_t i = 1; i < last; ++i) {
    if (slopes[i - 1] * slopes[i] <= 0) continue;  // a peak is flat
    tangents[i] = 2 / (1 / slopes[i - 1] + 1 / slopes[i]);
  }
  std::vector<Place> curve;
  for (size_t i = 0; i < last; ++i) {
    const double width = places[i + 1].x - places[i].x;
    const auto steps = static_cast<size_t>(std::max(1.0, width / kSmoothStep));
    for (size_t k = 0; k < steps; ++k) {
      const double t = static_cast<double>(k) / static_cast<double>(steps);
      const double rest = 1 - t;
      const double y =
          (1 + 2 * t) * rest * rest * places[i].y + t * rest * rest * width * tangents[i] +
          t * t * (3 - 2 * t) * places[i + 1].y - t * t * rest * width * tangents[i + 1];
      curve.push_back({places[i].x + t * width, y});
    }
  }
  curve.push_back(places.back());
  return curve;
}

class LineDrawer {
 public:
  LineDrawer(const Figure& figure, size_t index, Scene* scene)
      : figure_(figure), series_(figure.series[index]), index_(index), scene_(*scene) {}

  void Draw(const Scale& x_scale, const Scale& y_scale) {
    for (size_t i = 0; i < series_.y.size(); ++i) {
      const auto x = x_scale.Map(series_.x[i]);
      const auto y = y_scale.Map(series_.y[i]);
      if (!x.has_value() || !y.has_value()) {
        EndStretch();
        continue;
      }
      if (series_.style == LineStyle::kImpulses) {
        AddLine({{*x, y_scale.Base()}, {*x, *y}});
      } else if (HasLine()) {
        if (series_.style == LineStyle::kSteps && !stretch_.empty()) {
          stretch_.push_back({*x, stretch_.back().y});
        }
        stretch_.push_back({*x, *y});
      }
      if (HasDots()) DrawDot({*x, *y}, i);
    }
    EndStretch();
  }

 private:
  bool AreFew() const { return series_.y.size() <= kDottedPointsMax; }
  bool HasLine() const {
    return series_.style == LineStyle::kAuto || series_.style == LineStyle::kLines ||
           series_.style == LineStyle::kLinesPoints || series_.style == LineStyle::kSteps;
  }
  bool HasDots() const {
    switch (series_.style) {
      case LineStyle::kAuto:
        return AreFew();
      case LineStyle::kPoints:
      case LineStyle::kLinesPoints:
      case LineStyle::kDots:
        return true;
      default:
        return false;
    }
  }
  double Radius() const {
    if (series_.style == LineStyle::kDots) return 1;
    return AreFew() ? 3.5 : 2;
  }

  void EndStretch() {
    if (stretch_.size() > 1) {
      const bool is_curve = series_.is_smooth && series_.style != LineStyle::kSteps;
      AddLine(is_curve ? Smooth(stretch_) : std::move(stretch_));
    } else if (stretch_.size() == 1 && !HasDots()) {
      // A line of one point would be invisible.
      scene_.marks.emplace_back(
          DotMark{.center = stretch_[0], .radius = 2, .fill = SeriesColor(index_), .role = "dot"});
    }
    stretch_.clear();
  }

  void AddLine(std::vector<Place> places) {
    scene_.marks.emplace_back(LineMark{.places = std::move(places),
                                       .color = SeriesColor(index_),
                                       .width = 2,
                                       .dash = SeriesDash(index_),
                                       .role = "line",
                                       .tip = series_.name});
  }

  void DrawDot(Place at, size_t i) {
    DotMark dot{.center = at, .radius = Radius(), .fill = SeriesColor(index_), .role = "dot"};
    if (AreFew()) {
      const Axis& y = series_.is_right ? figure_.y2 : figure_.y;
      dot.tip = fmt::format("{}: {}, {}", series_.name, figure_.x.LabelOf(series_.x[i]),
                            y.LabelOf(series_.y[i]));
    }
    scene_.marks.emplace_back(std::move(dot));
  }

  const Figure& figure_;
  const Series& series_;
  const size_t index_;
  Scene& scene_;
  std::vector<Place> stretch_;
};

}  // namespace

void DrawLines(const Figure& figure, Scene* scene) {
  HOURCELL_CHECK(figure.kind == FigureKind::kLines);
  const bool has_right = std::ranges::any_of(figure.series, &Series::is_right);
  Scale x_scale(figure.x, XValues(figure), /*has_zero=*/false, /*ticks=*/9);
  Scale y_scale(figure.y, YValues(figure, false), figure.y.shows_zero, /*ticks=*/7);
  Scale y2_scale(figure.y2, YValues(figure, true), figure.y2.shows_zero, /*ticks=*/7);
  FrameSpec spec{.x = TickLabels(x_scale),
                 .y = TickLabels(y_scale),
                 .has_x_grid = true,
                 .has_y_grid = true,
                 .skips_x_labels = true};
  if (has_right) spec.y2 = TickLabels(y2_scale);
  for (size_t s = 0; s < figure.series.size(); ++s) {
    spec.legend.push_back({.name = figure.series[s].name,
                           .color = SeriesColor(s),
                           .is_line = true,
                           .dash = SeriesDash(s)});
  }
  const Area area = DrawFrame(figure, spec, scene);
  x_scale.SetPixels({.low = area.left, .high = area.right});
  y_scale.SetPixels({.low = area.bottom, .high = area.top});
  y2_scale.SetPixels({.low = area.bottom, .high = area.top});
  for (size_t s = 0; s < figure.series.size(); ++s)
    LineDrawer(figure, s, scene).Draw(x_scale, figure.series[s].is_right ? y2_scale : y_scale);
  const bool is_empty =
      std::ranges::all_of(figure.series, [](const Series& series) { return series.y.empty(); });
  if (!is_empty || figure.empty_text.empty()) return;
  scene->marks.emplace_back(
      TextMark{.at = {(area.left + area.right) / 2, (area.top + area.bottom) / 2},
               .text = figure.empty_text,
               .size = kLabelSize + 4,
               .anchor = Anchor::kMiddle,
               .color = figure.theme.note,
               .role = "empty"});
}

}  // namespace hourcell::plot
