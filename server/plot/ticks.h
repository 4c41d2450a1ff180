// Ticks: the places of numbers on an axis. Linear axes have steps of 1, 2, 2.5 or 5 times a power
// of ten; logarithmic ones have their decades, and 2 and 5 between them if there are few. Pure;
// thread-safe.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hourcell::plot {

struct Tick {
  double value = 0;
  std::string label = {};
};

// About `count` ticks that cover [low, high], both ends included. REQUIRES: finite, low <= high,
// count >= 2; if logarithmic, low > 0.
std::vector<Tick> LinearTicks(double low, double high, size_t count);
std::vector<Tick> LogTicks(double low, double high, size_t count);

// A readable number: at most four significant digits, and k, M, G, T from ten thousand on.
//   0  0.05  2.5  1250  12.5k  3M  1e-7
std::string NumberText(double value);

}  // namespace hourcell::plot
