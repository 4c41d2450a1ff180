// One figure of each kind, and the marks of a scene by their roles.

#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/plot/figure.h"
#include "server/plot/scene.h"

namespace hourcell::plot {

// Three categories, two series: six bars.
inline Figure Bars() {
  return {
      .kind = FigureKind::kBars,
      .title = "Bytes by layout",
      .note = "seed 1",
      .x = {.title = "layout", .categories = {"plain", "salt & 4", "time first"}},
      .y = {.title = "size, bytes/point"},
      .series = {{.name = "packed", .y = {2, 2.5, 3}}, {.name = "compacted", .y = {9, 10, 11}}}};
}

// Two lines of five points.
inline Figure Lines() {
  return {.kind = FigureKind::kLines,
          .title = "Hot share",
          .x = {.title = "time, s"},
          .y = {.title = "share, %"},
          .series = {{.name = "plain", .x = {0, 1, 2, 3, 4}, .y = {100, 90, 95, 100, 100}},
                     {.name = "salted", .x = {0, 1, 2, 3, 4}, .y = {30, 20, 10, 12, 9}}}};
}

// Two rows of three, all different.
inline Figure Heat() {
  return {.kind = FigureKind::kHeatMap,
          .title = "Writes",
          .x = {.title = "time, min", .categories = {"0", "1", "2"}},
          .y = {.title = "key range", .categories = {"00", "80"}},
          .color = {.title = "writes/s"},
          .cells = {0, 20, 40, 60, 80, 100}};
}

template <typename MarkType>
std::vector<MarkType> MarksOf(const Scene& scene, std::string_view role) {
  std::vector<MarkType> found;
  for (const Mark& mark : scene.marks) {
    const MarkType* const typed = std::get_if<MarkType>(&mark);
    if (typed != nullptr && typed->role == role) found.push_back(*typed);
  }
  return found;
}

inline std::vector<std::string> TextsOf(const Scene& scene, std::string_view role) {
  std::vector<std::string> texts;
  for (const TextMark& mark : MarksOf<TextMark>(scene, role))
    texts.push_back(mark.text);
  return texts;
}

}  // namespace hourcell::plot
