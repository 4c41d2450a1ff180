#include "server/plot/legend.h"

#include <algorithm>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "server/plot/frame.h"
#include "server/plot/text_width.h"

namespace hourcell::plot {
namespace {

constexpr double kLegendMargin = 16;
constexpr double kSwatch = 22;
constexpr double kRowHeight = 18;
constexpr double kEntryGap = 14;
constexpr double kBoxPad = 8;
constexpr double kEntryHead = kSwatch + 6;

bool IsInside(LegendPlace place) {
  return place >= LegendPlace::kTopLeft;
}

}  // namespace

std::string FitText(std::string_view text, double size, double width) {
  if (TextWidth(text, size) <= width) return std::string(text);
  constexpr std::string_view kEllipsis = "…";
  double left = width - TextWidth(kEllipsis, size);
  size_t end = 0;
  while (end < text.size()) {
    const size_t length = std::max<size_t>(1, Utf8SequenceLength(text.substr(end)));
    left -= TextWidth(text.substr(end, length), size);
    if (left < 0) break;
    end += length;
  }
  return std::string(text.substr(0, end)).append(kEllipsis);
}

Legend::Legend(const Figure& figure, std::span<const LegendEntry> entries)
    : figure_(figure), entries_(entries) {}

std::string Legend::NameOf(const LegendEntry& entry) const {
  const double share = figure_.legend == LegendPlace::kAbove ? 1 : 0.5;
  return FitText(entry.name, kLabelSize, figure_.width_px * share - 2 * kLegendMargin - kEntryHead);
}

double Legend::WidthOf(const LegendEntry& entry) const {
  return kEntryHead + TextWidth(NameOf(entry), kLabelSize) + kEntryGap;
}

double Legend::WidestEntry(size_t count) const {
  double widest = 0;
  for (const LegendEntry& entry : entries_.first(count))
    widest = std::max(widest, WidthOf(entry));
  return widest;
}

void Legend::DrawEntry(const LegendEntry& entry, Place at, Scene* scene) const {
  if (entry.is_line) {
    scene->marks.emplace_back(LineMark{.places = {{at.x, at.y - 4}, {at.x + kSwatch, at.y - 4}},
                                       .color = entry.color,
                                       .width = 2.5,
                                       .dash = entry.dash,
                                       .role = "swatch"});
  } else {
    scene->marks.emplace_back(RectMark{{at.x, at.y - 10}, kSwatch, 12, entry.color, "swatch", ""});
  }
  scene->marks.emplace_back(TextMark{.at = {at.x + kEntryHead, at.y},
                                     .text = NameOf(entry),
                                     .size = kLabelSize,
                                     .color = figure_.theme.ink,
                                     .role = "legend"});
}

void Legend::DrawRest(size_t count, Place at, Scene* scene) const {
  scene->marks.emplace_back(TextMark{.at = at,
                                     .text = fmt::format("and {} more", count),
                                     .size = kLabelSize,
                                     .color = figure_.theme.note,
                                     .role = "legend-rest"});
}

double Legend::DrawAbove(double top, Scene* scene) const {
  if (figure_.legend != LegendPlace::kAbove || entries_.empty()) return top;
  const double lowest = top + std::max(2 * kRowHeight, figure_.height_px / 3.0);
  top += kRowHeight + 6;
  double x = kLegendMargin;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const double width = WidthOf(entries_[i]);
    if (x > kLegendMargin && x + width > figure_.width_px - kLegendMargin) {
      x = kLegendMargin;
      top += kRowHeight;
    }
    const bool is_last_row = top + kRowHeight > lowest;
    const double rest = i + 1 < entries_.size() ? WidthOf(entries_[i + 1]) + 2 * kLegendMargin : 0;
    if (is_last_row && i > 0 && x + width + rest > figure_.width_px - kLegendMargin) {
      DrawRest(entries_.size() - i, {x, top}, scene);
      return top;
    }
    DrawEntry(entries_[i], {x, top}, scene);
    x += width;
  }
  return top;
}

double Legend::right_width() const {
  if (figure_.legend != LegendPlace::kRight || entries_.empty()) return 0;
  return WidestEntry(entries_.size()) + kBoxPad;
}

void Legend::DrawBeside(const Place& corner, double width, double height, Scene* scene) const {
  const LegendPlace place = figure_.legend;
  if (entries_.empty() || (place != LegendPlace::kRight && !IsInside(place))) return;
  const auto room = static_cast<size_t>(std::max(1.0, (height - 2 * kBoxPad) / kRowHeight));
  const size_t shown = entries_.size() <= room ? entries_.size() : room - 1;
  const size_t rows = std::min(entries_.size(), room);
  const double box_width = WidestEntry(std::max<size_t>(shown, 1)) + kBoxPad;
  const double box_height = kRowHeight * static_cast<double>(rows) + kBoxPad;
  Place box = corner;
  if (place == LegendPlace::kRight) {
    box.x += width + kBoxPad;
  } else {
    const bool is_right = place == LegendPlace::kTopRight || place == LegendPlace::kBottomRight;
    const bool is_low = place == LegendPlace::kBottomLeft || place == LegendPlace::kBottomRight;
    box.x += is_right ? std::max(0.0, width - box_width - kBoxPad) : kBoxPad;
    box.y += is_low ? std::max(0.0, height - box_height - kBoxPad) : kBoxPad;
  }
  if (figure_.has_legend_box) {
    scene->marks.emplace_back(LineMark{.places = {box,
                                                  {box.x + box_width, box.y},
                                                  {box.x + box_width, box.y + box_height},
                                                  {box.x, box.y + box_height},
                                                  box},
                                       .color = figure_.theme.ink,
                                       .role = "legend-box"});
  }
  Place at = {box.x + kBoxPad, box.y + kRowHeight - 2};
  for (const LegendEntry& entry : entries_.first(shown)) {
    DrawEntry(entry, at, scene);
    at.y += kRowHeight;
  }
  if (shown < entries_.size()) DrawRest(entries_.size() - shown, at, scene);
}

}  // namespace hourcell::plot
