// Legend: maps lines to series. It is above the area of a chart, on its right, or in one of its
// corners. It takes at most a third of the picture above, and half of its width on the right: long
// names are cut, and if there are more series than fit, the last line gives the number left out.
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/plot/figure.h"
#include "server/plot/scene.h"

namespace hourcell::plot {

struct LegendEntry {
  std::string name = {};
  Color color = {};
  bool is_line = false;
  std::vector<double> dash = {};
};

class Legend {
 public:
  // Borrowed.
  Legend(const Figure& figure, std::span<const LegendEntry> entries);

  // Draws it below `top` and returns its lower end; returns `top` if the legend is not above.
  double DrawAbove(double top, Scene* scene) const;
  // Its width on the right side; 0 if it is not there.
  double right_width() const;
  // Draws it on the right of the area or in it, if it is there.
  void DrawBeside(const Place& corner, double width, double height, Scene* scene) const;

 private:
  double WidthOf(const LegendEntry& entry) const;
  double WidestEntry(size_t count) const;
  std::string NameOf(const LegendEntry& entry) const;
  void DrawEntry(const LegendEntry& entry, Place at, Scene* scene) const;
  void DrawRest(size_t count, Place at, Scene* scene) const;

  const Figure& figure_;
  const std::span<const LegendEntry> entries_;
};

// `text` cut, with an ellipsis, so that it takes at most `width` pixels.
std::string FitText(std::string_view text, double size, double width);

}  // namespace hourcell::plot
