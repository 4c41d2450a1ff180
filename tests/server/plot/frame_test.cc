#include "server/plot/frame.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/plot/text_width.h"
#include "tests/server/plot/figures.h"

namespace hourcell::plot::frame_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

FrameSpec SpecOf(const std::vector<std::string>& x) {
  return {.x = CategoryLabels(x), .y = {{0, "0"}, {1, "10"}}};
}

TEST(FrameTest, SaysTitleNoteAxesAndSeries) {
  Scene scene;
  FrameSpec spec = SpecOf({"a", "b"});
  spec.legend = {{.name = "one"}, {.name = "two"}};
  DrawFrame(Bars(), spec, &scene);

  EXPECT_THAT(TextsOf(scene, "title"), ElementsAre("Bytes by layout"));
  EXPECT_THAT(TextsOf(scene, "note"), ElementsAre("seed 1"));
  EXPECT_THAT(TextsOf(scene, "axis-title"), ElementsAre("layout", "size, bytes/point"));
  EXPECT_THAT(TextsOf(scene, "legend"), ElementsAre("one", "two"));
  EXPECT_THAT(TextsOf(scene, "x-label"), ElementsAre("a", "b"));
  EXPECT_THAT(TextsOf(scene, "y-label"), ElementsAre("0", "10"));
}

TEST(FrameTest, AreaIsInsideAndLeavesRoomForTheLabels) {
  Scene scene;
  const Area area = DrawFrame(Bars(), SpecOf({"a", "b"}), &scene);

  EXPECT_GT(area.left, TextWidth("10", kLabelSize));
  EXPECT_LT(area.right, scene.width);
  EXPECT_GT(area.width(), scene.width / 2);
  EXPECT_GT(area.height(), scene.height / 2);
}

TEST(FrameTest, WideLabelsAreTurnedAndStayOnThePicture) {
  Scene scene;
  const std::vector<std::string> names(12, "a layout with a long name");
  DrawFrame(Bars(), SpecOf(names), &scene);

  const std::vector<TextMark> labels = MarksOf<TextMark>(scene, "x-label");
  ASSERT_THAT(labels, SizeIs(12));
  EXPECT_LT(labels[0].degrees, 0);
  EXPECT_GT(labels[0].at.x - TextWidth(labels[0].text, kLabelSize) * 0.82, 0);
  EXPECT_LT(labels[0].at.y + TextWidth(labels[0].text, kLabelSize) * 0.58, scene.height);
}

TEST(FrameTest, LabelsWithoutRoomAreLeftOut) {
  Scene scene;
  FrameSpec spec = SpecOf(std::vector<std::string>(200, "12:30"));
  spec.skips_x_labels = true;
  spec.y = CategoryLabels(std::vector<std::string>(200, "00ff"));
  DrawFrame(Heat(), spec, &scene);

  EXPECT_LT(TextsOf(scene, "x-label").size(), 30u);
  EXPECT_GT(TextsOf(scene, "x-label").size(), 5u);
  EXPECT_LT(TextsOf(scene, "y-label").size(), 40u);
}

TEST(FrameTest, LegendWithoutRoomGoesOnBelow) {
  Scene scene;
  FrameSpec spec = SpecOf({"a"});
  spec.legend.assign(20, {.name = "a series with a long name"});
  const Area area = DrawFrame(Bars(), spec, &scene);

  const std::vector<TextMark> names = MarksOf<TextMark>(scene, "legend");
  EXPECT_GT(names.back().at.y, names.front().at.y);
  EXPECT_GT(area.top, names.back().at.y);
  for (const TextMark& name : names)
    EXPECT_LT(name.at.x + TextWidth(name.text, kLabelSize), scene.width);
}

}  // namespace
}  // namespace hourcell::plot::frame_test
