#include "server/plot/bar_chart.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/plot/compose.h"
#include "tests/server/plot/figures.h"

namespace hourcell::plot::bar_chart_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::SizeIs;

std::vector<RectMark> BarsOf(const Figure& figure) {
  return MarksOf<RectMark>(*Compose(figure), "bar");
}

TEST(BarChartTest, HasABarForEachValueInItsGroup) {
  const std::vector<RectMark> bars = BarsOf(Bars());

  ASSERT_THAT(bars, SizeIs(6));
  EXPECT_EQ(bars[0].tip, "plain, packed: 2");
  EXPECT_EQ(bars[5].tip, "time first, compacted: 11");
  EXPECT_EQ(bars[0].fill, bars[2].fill);
  EXPECT_FALSE(bars[0].fill == bars[1].fill);
  for (size_t i = 1; i < bars.size(); ++i)
    EXPECT_GE(bars[i].corner.x, bars[i - 1].corner.x + bars[i - 1].width);
}

TEST(BarChartTest, HeightIsInProportion) {
  const std::vector<RectMark> bars = BarsOf(Bars());

  EXPECT_NEAR(bars[3].height / bars[0].height, 10 / 2.0, 1e-6);
  EXPECT_NEAR(bars[0].corner.y + bars[0].height, bars[5].corner.y + bars[5].height, 1e-6);
}

TEST(BarChartTest, LogAxisMakesRatiosHeights) {
  Figure figure = Bars();
  figure.y.is_log = true;
  figure.series = {{.name = "a", .y = {10, 100, 1000}}};
  figure.y.min = 1;
  const std::vector<RectMark> bars = BarsOf(figure);

  EXPECT_NEAR(bars[1].height, 2 * bars[0].height, 1e-6);
  EXPECT_NEAR(bars[2].height, 3 * bars[0].height, 1e-6);
}

TEST(BarChartTest, ValuesThatAreNoneHaveNoBar) {
  Figure figure = Bars();
  figure.series[0].y[1] = std::nan("");

  EXPECT_THAT(BarsOf(figure), SizeIs(5));
}

TEST(BarChartTest, OneSeriesNeedsNoLegendAndWideBarsSayTheirValue) {
  Figure figure = Bars();
  EXPECT_THAT(TextsOf(*Compose(figure), "legend"), ElementsAre("packed", "compacted"));
  figure.series.pop_back();

  EXPECT_THAT(TextsOf(*Compose(figure), "legend"), SizeIs(0));
  EXPECT_THAT(TextsOf(*Compose(figure), "value"), Contains("2.5"));
}

TEST(BarChartTest, NarrowBarsSayNoValues) {
  Figure figure = Bars();
  figure.x.categories.assign(60, "a");
  for (Series& series : figure.series)
    series.y.assign(60, 1'234);
  figure.series[0].y[0] = 1;

  EXPECT_THAT(TextsOf(*Compose(figure), "value"), SizeIs(0));
}

}  // namespace
}  // namespace hourcell::plot::bar_chart_test
