#include "server/plot/legend.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/plot/frame.h"
#include "server/plot/text_width.h"
#include "tests/server/plot/figures.h"

namespace hourcell::plot::legend_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// The area of a frame whose legend is there.
Area FrameWith(LegendPlace place, size_t entries, Scene* scene, bool has_box = false) {
  Figure figure = Lines();
  figure.legend = place;
  figure.has_legend_box = has_box;
  FrameSpec spec{.x = {{0, "a"}, {1, "b"}}, .y = {{0, "0"}, {1, "10"}}};
  for (size_t i = 0; i < entries; ++i)
    spec.legend.push_back({.name = "series " + std::to_string(i), .is_line = true});
  return DrawFrame(figure, spec, scene);
}

TEST(LegendTest, IsWhereItIsWanted) {
  Scene above;
  Scene right;
  Scene low_left;
  Scene none;
  const Area above_area = FrameWith(LegendPlace::kAbove, 2, &above);
  const Area right_area = FrameWith(LegendPlace::kRight, 2, &right);
  const Area low_area = FrameWith(LegendPlace::kBottomLeft, 2, &low_left);
  FrameWith(LegendPlace::kNone, 2, &none);

  EXPECT_LT(MarksOf<TextMark>(above, "legend")[0].at.y, above_area.top);
  EXPECT_GT(MarksOf<TextMark>(right, "legend")[0].at.x, right_area.right);
  const TextMark inside = MarksOf<TextMark>(low_left, "legend")[1];
  EXPECT_GT(inside.at.x, low_area.left);
  EXPECT_LT(inside.at.x, low_area.left + low_area.width() / 2);
  EXPECT_LT(inside.at.y, low_area.bottom);
  EXPECT_GT(inside.at.y, low_area.bottom - 60);
  EXPECT_THAT(TextsOf(none, "legend"), IsEmpty());
}

TEST(LegendTest, SaysHowManyItLeavesOut) {
  for (const LegendPlace place :
       {LegendPlace::kAbove, LegendPlace::kRight, LegendPlace::kTopRight}) {
    Scene scene;
    const Area area = FrameWith(place, 400, &scene);
    const size_t shown = MarksOf<TextMark>(scene, "legend").size();
    EXPECT_GT(shown, 10u);
    EXPECT_LT(shown, 100u);
    EXPECT_THAT(TextsOf(scene, "legend-rest"),
                ElementsAre("and " + std::to_string(400 - shown) + " more"));
    EXPECT_GT(area.height(), 250);
  }
}

TEST(LegendTest, HasABoxIfThatIsWanted) {
  Scene with;
  Scene without;
  FrameWith(LegendPlace::kTopLeft, 2, &with, /*has_box=*/true);
  FrameWith(LegendPlace::kTopLeft, 2, &without);
  EXPECT_THAT(MarksOf<LineMark>(with, "legend-box"), SizeIs(1));
  EXPECT_THAT(MarksOf<LineMark>(without, "legend-box"), IsEmpty());
}

TEST(FitTextTest, CutsWhatIsTooWide) {
  EXPECT_EQ(FitText("short", 12, 100), "short");
  const std::string cut = FitText("a name that is far too long for that", 12, 100);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(TextWidth(cut, 12), 100);
  EXPECT_GT(TextWidth(cut, 12), 80);
  EXPECT_EQ(FitText("ääääääää", 12, 40).substr(0, 4), "ää");  // no letter is cut
  EXPECT_EQ(FitText("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 12, 30).substr(0, 1), "\xFF");
}

}  // namespace
}  // namespace hourcell::plot::legend_test
