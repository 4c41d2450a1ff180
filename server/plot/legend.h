// Legend: which line is which series. Above the area of a chart, on its right, or in a corner of
// it. It never takes more than a third of the picture above, and half of its width on the right:
// names that are too long are cut, and of more series than there is room for the last line says
// how many are left out. Pure; thread-safe.

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

  // Draws it below `top`, and returns how far down it reaches; `top` if it is not above.
  double DrawAbove(double top, Scene* scene) const;
  // How much it takes of the right side; 0 if it is not there.
  double right_width() const;
  // Draws it beside the area or in it, if it is there.
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
