#include "server/plot/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hourcell::plot {
namespace {

// Strong ones first; yellow, which is weak on white, is the last but one.
constexpr std::array<Color, kSeriesColors> kSeries = {{
    {0x00, 0x72, 0xB2},  // blue
    {0xE6, 0x9F, 0x00},  // orange
    {0x00, 0x9E, 0x73},  // bluish green
    {0xD5, 0x5E, 0x00},  // vermilion
    {0xCC, 0x79, 0xA7},  // reddish purple
    {0x56, 0xB4, 0xE9},  // sky blue
    {0xF0, 0xE4, 0x42},  // yellow
    {0x40, 0x40, 0x40},  // near black
}};

// Viridis at every eighth of its length.
constexpr std::array<Color, 9> kHeat = {{
    {0x44, 0x01, 0x54},
    {0x47, 0x2D, 0x7B},
    {0x3B, 0x52, 0x8B},
    {0x2C, 0x72, 0x8E},
    {0x21, 0x91, 0x8C},
    {0x28, 0xAE, 0x80},
    {0x5E, 0xC9, 0x62},
    {0xAD, 0xDC, 0x30},
    {0xFD, 0xE7, 0x25},
}};

uint8_t Between(uint8_t low, uint8_t high, double share) {
  return static_cast<uint8_t>(std::lround(low + share * (high - low)));
}

}  // namespace

Color SeriesColor(size_t series) {
  return kSeries[series % kSeries.size()];
}

std::vector<double> SeriesDash(size_t series) {
  switch (series / kSeriesColors % 3) {
    case 0:
      return {};
    case 1:
      return {8, 4};
    default:
      return {2, 3};
  }
}

Color HeatColor(double share) {
  const double step = std::round(std::clamp(share, 0.0, 1.0) * (kHeatColors - 1));
  const double at = step / (kHeatColors - 1) * static_cast<double>(kHeat.size() - 1);
  const size_t below = std::min(static_cast<size_t>(at), kHeat.size() - 2);
  const double rest = at - static_cast<double>(below);
  const Color& low = kHeat[below];
  const Color& high = kHeat[below + 1];
  return {Between(low.red, high.red, rest), Between(low.green, high.green, rest),
          Between(low.blue, high.blue, rest)};
}

}  // namespace hourcell::plot
