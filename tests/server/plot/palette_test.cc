#include "server/plot/palette.h"

#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::plot::palette_test {
namespace {

using testing::IsEmpty;
using testing::Not;

// Rec. 709, as the eye weighs the primaries.
double Luminance(Color color) {
  return 0.2126 * color.red + 0.7152 * color.green + 0.0722 * color.blue;
}

TEST(PaletteTest, SeriesHaveColorsOfTheirOwnThenDashes) {
  std::set<std::tuple<int, int, int>> colors;
  for (size_t i = 0; i < kSeriesColors; ++i) {
    const Color color = SeriesColor(i);
    colors.emplace(color.red, color.green, color.blue);
    EXPECT_THAT(SeriesDash(i), IsEmpty());
  }

  EXPECT_EQ(colors.size(), kSeriesColors);
  EXPECT_EQ(SeriesColor(kSeriesColors), SeriesColor(0));
  EXPECT_THAT(SeriesDash(kSeriesColors), Not(IsEmpty()));
}

// What is more is lighter, so the map reads in grey, and by those who see no colours.
TEST(PaletteTest, HeatGetsLighterAllTheWay) {
  for (int i = 1; i < kHeatColors; ++i) {
    EXPECT_GT(Luminance(HeatColor(i / 63.0)), Luminance(HeatColor((i - 1) / 63.0))) << i;
  }
}

TEST(PaletteTest, SharesBeyondTheEndsAreTheEnds) {
  EXPECT_EQ(HeatColor(-1), HeatColor(0));
  EXPECT_EQ(HeatColor(2), HeatColor(1));
}

}  // namespace
}  // namespace hourcell::plot::palette_test
