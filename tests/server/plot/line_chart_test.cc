#include "server/plot/line_chart.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/plot/compose.h"
#include "tests/server/plot/figures.h"

namespace hourcell::plot::line_chart_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<LineMark> LinesOf(const Figure& figure) {
  return MarksOf<LineMark>(*Compose(figure), "line");
}

TEST(LineChartTest, HasALineForEachSeriesAndADotForEachOfFewPoints) {
  const std::vector<LineMark> lines = LinesOf(Lines());

  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0].places, SizeIs(5));
  EXPECT_EQ(lines[1].tip, "salted");
  EXPECT_THAT(MarksOf<DotMark>(*Compose(Lines()), "dot"), SizeIs(10));
  EXPECT_THAT(TextsOf(*Compose(Lines()), "legend"), ElementsAre("plain", "salted"));
}

TEST(LineChartTest, HigherValuesAreHigherUpAndLaterOnesToTheRight) {
  const std::vector<Place> places = LinesOf(Lines())[1].places;

  EXPECT_GT(places[1].y, places[0].y);  // 20 after 30
  EXPECT_GT(places[1].x, places[0].x);
}

TEST(LineChartTest, AGapCutsTheLine) {
  Figure figure = Lines();
  figure.series.pop_back();
  figure.series[0].y[2] = std::nan("");

  const std::vector<LineMark> lines = LinesOf(figure);

  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0].places, SizeIs(2));
  EXPECT_THAT(lines[1].places, SizeIs(2));
}

TEST(LineChartTest, LongSeriesHaveNoDots) {
  Figure figure = Lines();
  figure.series.pop_back();
  figure.series[0].x.assign(1'000, 1);
  figure.series[0].y.assign(1'000, 2);

  EXPECT_THAT(MarksOf<DotMark>(*Compose(figure), "dot"), IsEmpty());
  EXPECT_THAT(LinesOf(figure)[0].places, SizeIs(1'000));
}

}  // namespace
}  // namespace hourcell::plot::line_chart_test
