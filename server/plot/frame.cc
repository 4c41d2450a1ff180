#include "server/plot/frame.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/plot/text_width.h"

namespace hourcell::plot {
namespace {

constexpr double kMargin = 16;
constexpr double kTitleSize = 17;
constexpr double kNoteSize = 11;
constexpr double kLineHeight = 18;
constexpr double kTurnedDegrees = -35;
constexpr double kTickLength = 5;
constexpr double kLabelGap = 6;

double Radians(double degrees) {
  return degrees * 3.14159265358979323846 / 180;
}

double WidestLabel(const std::vector<AxisLabel>& labels) {
  double widest = 0;
  for (const AxisLabel& label : labels)
    widest = std::max(widest, TextWidth(label.text, kLabelSize));
  return widest;
}

// Every n-th label is shown, so that each has `needed` pixels of an axis of `length`.
size_t LabelStep(size_t labels, double length, double needed) {
  if (labels == 0) return 1;
  const double slot = length / static_cast<double>(labels);
  return static_cast<size_t>(std::max(1.0, std::ceil(needed / slot)));
}

class Frame {
 public:
  Frame(const Figure& figure, const FrameSpec& spec, Scene* scene)
      : figure_(figure), spec_(spec), scene_(*scene), legend_(figure, spec.legend) {}

  Area Draw() {
    scene_.width = figure_.width_px;
    scene_.height = figure_.height_px;
    if (figure_.theme.ground.has_value()) {
      scene_.marks.emplace_back(
          RectMark{{0, 0}, scene_.width, scene_.height, *figure_.theme.ground, "background", ""});
    }
    DrawTitle();
    top_ = legend_.DrawAbove(top_, &scene_);
    FindArea();
    DrawX();
    DrawY();
    DrawRightY();
    legend_.DrawBeside({area_.left, area_.top}, legend_reach(), area_.height(), &scene_);
    return area_;
  }

 private:
  void Text(TextMark mark) { scene_.marks.emplace_back(std::move(mark)); }
  void Line(Place from, Place to, Color color, Role role) {
    scene_.marks.emplace_back(
        LineMark{.places = {from, to}, .color = color, .width = 1, .role = role});
  }

  // The right end of the area and its right axis, where a legend on the right begins.
  double legend_reach() const {
    return area_.width() + (figure_.legend == LegendPlace::kRight ? right_axis_ : 0);
  }

  void DrawTitle() {
    if (figure_.title.empty() && figure_.note.empty()) return;
    top_ = kMargin + kTitleSize;
    Text({.at = {kMargin, top_},
          .text = figure_.title,
          .size = kTitleSize,
          .is_bold = true,
          .color = ink(),
          .role = "title"});
    if (figure_.note.empty()) return;
    top_ += kLineHeight;
    Text({.at = {kMargin, top_},
          .text = figure_.note,
          .size = kNoteSize,
          .color = figure_.theme.note,
          .role = "note"});
  }

  void FindArea() {
    const double widest_x = WidestLabel(spec_.x);
    area_.top = top_ + kMargin + 4;
    if (!spec_.y2.empty()) {
      right_axis_ = kTickLength + kLabelGap + WidestLabel(spec_.y2);
      if (!figure_.y2.title.empty()) right_axis_ += kLineHeight + 4;
    }
    area_.right = scene_.width - spec_.right_margin - right_axis_ - legend_.right_width();
    area_.left = kMargin + WidestLabel(spec_.y) + kTickLength + kLabelGap;
    if (!figure_.y.title.empty()) area_.left += kLineHeight + 4;
    const double slot =
        area_.width() / static_cast<double>(std::max<size_t>(1, spec_.x.size())) - kLabelGap;
    is_turned_ = !spec_.skips_x_labels && widest_x > slot;
    double below = kTickLength + kLabelGap + kLabelSize;
    if (is_turned_) {
      below += std::sin(Radians(-kTurnedDegrees)) * widest_x;
      // The first label reaches to the left of its tick.
      const double reach = std::cos(Radians(kTurnedDegrees)) * widest_x + kMargin;
      area_.left = std::max(area_.left, reach - slot / 2);
    }
    if (!figure_.x.title.empty()) below += kLineHeight + 2;
    area_.bottom = std::max(area_.top + 20, scene_.height - kMargin - below);
    area_.right = std::max(area_.left + 20, area_.right);
  }

  void DrawX() {
    const double needed = is_turned_ ? kLabelSize + 2 : WidestLabel(spec_.x) + 2 * kLabelGap;
    const size_t step =
        spec_.skips_x_labels || is_turned_ ? LabelStep(spec_.x.size(), area_.width(), needed) : 1;
    for (size_t i = 0; i < spec_.x.size(); i += step) {
      const double x = area_.left + spec_.x[i].share * area_.width();
      if (spec_.has_x_grid) Line({x, area_.top}, {x, area_.bottom}, figure_.theme.grid, "grid");
      Line({x, area_.bottom}, {x, area_.bottom + kTickLength}, ink(), "tick");
      const double y = area_.bottom + kTickLength + kLabelSize;
      TextMark label{.at = {x, y},
                     .text = spec_.x[i].text,
                     .size = kLabelSize,
                     .anchor = Anchor::kMiddle,
                     .color = ink(),
                     .role = "x-label"};
      if (is_turned_) {
        label.at = {x + 4, y};
        label.anchor = Anchor::kEnd;
        label.degrees = kTurnedDegrees;
      }
      Text(std::move(label));
    }
    Line({area_.left, area_.bottom}, {area_.right, area_.bottom}, ink(), "axis");
    if (figure_.x.title.empty()) return;
    Text({.at = {(area_.left + area_.right) / 2, scene_.height - kMargin},
          .text = figure_.x.title,
          .size = kLabelSize + 1,
          .anchor = Anchor::kMiddle,
          .color = ink(),
          .role = "axis-title"});
  }

  void DrawY() {
    const size_t step = LabelStep(spec_.y.size(), area_.height(), kLabelSize + 2);
    for (size_t i = 0; i < spec_.y.size(); i += step) {
      const double y = area_.bottom - spec_.y[i].share * area_.height();
      if (spec_.has_y_grid && y < area_.bottom) {
        Line({area_.left, y}, {area_.right, y}, figure_.theme.grid, "grid");
      }
      Line({area_.left - kTickLength, y}, {area_.left, y}, ink(), "tick");
      Text({.at = {area_.left - kTickLength - kLabelGap / 2, y + kLabelSize * 0.36},
            .text = spec_.y[i].text,
            .size = kLabelSize,
            .anchor = Anchor::kEnd,
            .color = ink(),
            .role = "y-label"});
    }
    Line({area_.left, area_.top}, {area_.left, area_.bottom}, ink(), "axis");
    if (figure_.y.title.empty()) return;
    Text({.at = {kMargin + kLabelSize, (area_.top + area_.bottom) / 2},
          .text = figure_.y.title,
          .size = kLabelSize + 1,
          .anchor = Anchor::kMiddle,
          .degrees = -90,
          .color = ink(),
          .role = "axis-title"});
  }

  void DrawRightY() {
    if (spec_.y2.empty()) return;
    const size_t step = LabelStep(spec_.y2.size(), area_.height(), kLabelSize + 2);
    for (size_t i = 0; i < spec_.y2.size(); i += step) {
      const double y = area_.bottom - spec_.y2[i].share * area_.height();
      Line({area_.right, y}, {area_.right + kTickLength, y}, ink(), "tick");
      Text({.at = {area_.right + kTickLength + kLabelGap / 2, y + kLabelSize * 0.36},
            .text = spec_.y2[i].text,
            .size = kLabelSize,
            .color = ink(),
            .role = "y2-label"});
    }
    Line({area_.right, area_.top}, {area_.right, area_.bottom}, ink(), "axis");
    if (figure_.y2.title.empty()) return;
    Text({.at = {area_.right + right_axis_, (area_.top + area_.bottom) / 2},
          .text = figure_.y2.title,
          .size = kLabelSize + 1,
          .anchor = Anchor::kMiddle,
          .degrees = -90,
          .color = ink(),
          .role = "axis-title"});
  }

  Color ink() const { return figure_.theme.ink; }

  const Figure& figure_;
  const FrameSpec& spec_;
  Scene& scene_;
  const Legend legend_;
  Area area_;
  double right_axis_ = 0;  // width of its labels and title
  double top_ = 0;         // the part above is in use
  bool is_turned_ = false;
};

}  // namespace

Area DrawFrame(const Figure& figure, const FrameSpec& spec, Scene* scene) {
  return Frame(figure, spec, scene).Draw();
}

std::vector<AxisLabel> CategoryLabels(const std::vector<std::string>& names) {
  std::vector<AxisLabel> labels;
  for (size_t i = 0; i < names.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(names.size());
    labels.push_back({.share = share, .text = names[i]});
  }
  return labels;
}

}  // namespace hourcell::plot
