#include "server/plot/heat_map.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/plot/compose.h"
#include "server/plot/palette.h"
#include "tests/server/plot/figures.h"

namespace hourcell::plot::heat_map_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::SizeIs;

std::vector<RectMark> CellsOf(const Figure& figure) {
  return MarksOf<RectMark>(*Compose(figure), "cell");
}

TEST(HeatMapTest, HasACellForEachValueTheFirstRowOnTop) {
  const std::vector<RectMark> cells = CellsOf(Heat());

  ASSERT_THAT(cells, SizeIs(6));
  EXPECT_EQ(cells[0].tip, "00, 0: 0");
  EXPECT_EQ(cells[5].tip, "80, 2: 100");
  EXPECT_EQ(cells[0].fill, HeatColor(0));
  EXPECT_EQ(cells[5].fill, HeatColor(1));
  EXPECT_LT(cells[0].corner.y, cells[3].corner.y);
  EXPECT_LT(cells[0].corner.x, cells[1].corner.x);
}

TEST(HeatMapTest, NeighboursOfOneColorAreOneMark) {
  Figure figure = Heat();
  figure.cells = {7, 7, 7, 0, 0, 7};

  const std::vector<RectMark> cells = CellsOf(figure);

  ASSERT_THAT(cells, SizeIs(3));
  EXPECT_EQ(cells[0].tip, "00, 0 to 2: 7");
  EXPECT_NEAR(cells[0].width, cells[1].width + cells[2].width, 1e-6);
}

TEST(HeatMapTest, ValuesThatAreNoneStayBlank) {
  Figure figure = Heat();
  figure.cells[1] = std::nan("");

  EXPECT_THAT(CellsOf(figure), SizeIs(5));
}

TEST(HeatMapTest, LogarithmicColorsTellSmallValuesApart) {
  Figure figure = Heat();
  figure.color.is_log = true;
  figure.cells = {1, 10, 100, 1'000, 10'000, 0};

  const std::vector<RectMark> cells = CellsOf(figure);

  ASSERT_THAT(cells, SizeIs(5));
  EXPECT_EQ(cells[0].fill, HeatColor(0));
  EXPECT_EQ(cells[2].fill, HeatColor(0.5));
}

TEST(HeatMapTest, ExplainsItsColors) {
  const Scene scene = *Compose(Heat());

  EXPECT_THAT(TextsOf(scene, "color-label"), ElementsAre("0", "20", "40", "60", "80", "100"));
  EXPECT_THAT(TextsOf(scene, "axis-title"), Contains("writes/s"));
  EXPECT_THAT(MarksOf<RectMark>(scene, "color-bar"), SizeIs(kHeatColors));
}

}  // namespace
}  // namespace hourcell::plot::heat_map_test
