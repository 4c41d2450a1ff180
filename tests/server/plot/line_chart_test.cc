#include "server/plot/line_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>
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

Figure OneLine(LineStyle style) {
  Figure figure = Lines();
  figure.series.resize(1);
  figure.series[0].style = style;
  return figure;
}

TEST(LineChartTest, StylesSayHowASeriesIsDrawn) {
  const auto count = [](LineStyle style) {
    const Scene scene = *Compose(OneLine(style));
    return std::pair(MarksOf<LineMark>(scene, "line").size(),
                     MarksOf<DotMark>(scene, "dot").size());
  };
  EXPECT_EQ(count(LineStyle::kLines), std::pair(size_t{1}, size_t{0}));
  EXPECT_EQ(count(LineStyle::kPoints), std::pair(size_t{0}, size_t{5}));
  EXPECT_EQ(count(LineStyle::kLinesPoints), std::pair(size_t{1}, size_t{5}));
  EXPECT_EQ(count(LineStyle::kDots), std::pair(size_t{0}, size_t{5}));
  EXPECT_EQ(count(LineStyle::kImpulses), std::pair(size_t{5}, size_t{0}));
  EXPECT_EQ(LinesOf(OneLine(LineStyle::kSteps))[0].places.size(), 9u);
}

TEST(LineChartTest, ALoneValueIsADotWhateverTheStyle) {
  Figure figure = OneLine(LineStyle::kLines);
  figure.series[0].y = {NAN, 5, NAN, NAN, NAN};
  EXPECT_THAT(MarksOf<DotMark>(*Compose(figure), "dot"), SizeIs(1));
}

TEST(LineChartTest, ASmoothLineStaysBetweenItsPoints) {
  Figure figure = OneLine(LineStyle::kLines);
  const std::vector<Place> corners = LinesOf(figure)[0].places;
  figure.series[0].is_smooth = true;

  const std::vector<Place> curve = LinesOf(figure)[0].places;

  ASSERT_GT(curve.size(), 50u);
  size_t corner = 0;
  for (const Place& place : curve) {
    while (corner + 2 < corners.size() && place.x > corners[corner + 1].x)
      ++corner;
    const auto [low, high] = std::minmax(corners[corner].y, corners[corner + 1].y);
    EXPECT_GE(place.y, low - 1e-6);
    EXPECT_LE(place.y, high + 1e-6);
  }
  EXPECT_EQ(curve.back().y, corners.back().y);
}

TEST(LineChartTest, TheRightAxisHasItsOwnScale) {
  Figure figure = Lines();
  figure.series[1].is_right = true;
  figure.y2 = {.title = "others", .min = 0, .max = 1'000, .is_exact = true};
  const Scene scene = *Compose(figure);

  EXPECT_THAT(TextsOf(scene, "y2-label"), testing::Contains("1000"));
  EXPECT_THAT(TextsOf(scene, "axis-title"), testing::Contains("others"));
  const std::vector<LineMark> lines = MarksOf<LineMark>(scene, "line");
  EXPECT_GT(lines[1].places[0].y, lines[0].places[2].y + 100);  // 30 of 1,000
  EXPECT_THAT(TextsOf(*Compose(Lines()), "y2-label"), IsEmpty());
}

TEST(LineChartTest, WithoutPointsItSaysSo) {
  Figure figure = Lines();
  figure.series.clear();
  EXPECT_FALSE(Compose(figure).ok());
  figure.empty_text = "No data";
  EXPECT_THAT(TextsOf(*Compose(figure), "empty"), ElementsAre("No data"));
  EXPECT_THAT(TextsOf(*Compose(Lines()), "empty"), IsEmpty());
}

}  // namespace
}  // namespace hourcell::plot::line_chart_test
