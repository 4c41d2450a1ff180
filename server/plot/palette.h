// Colours for any colour vision. Series: those of Okabe and Ito, "Color Universal Design" (2008).
// Heat: viridis of matplotlib (Smith and van der Walt, 2015; CC0), which gets lighter evenly, so it
// also reads in grey. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <vector>

#include "server/plot/scene.h"

namespace hourcell::plot {

inline constexpr Color kBlack = {0x20, 0x20, 0x20};
inline constexpr Color kWhite = {0xFF, 0xFF, 0xFF};
inline constexpr Color kGrey = {0x60, 0x60, 0x60};
inline constexpr Color kGridGrey = {0xDD, 0xDD, 0xDD};
inline constexpr Color kBlankGrey = {0xEE, 0xEE, 0xEE};

// The number of distinct series colours; further series repeat them.
inline constexpr size_t kSeriesColors = 8;

Color SeriesColor(size_t series);

// Solid for the first kSeriesColors lines, then other dashes.
std::vector<double> SeriesDash(size_t series);

// Dark at 0, light at 1, in kHeatColors steps.
inline constexpr int kHeatColors = 64;
Color HeatColor(double share);

}  // namespace hourcell::plot
