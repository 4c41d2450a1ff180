#include "server/plot/output/png.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "server/plot/compose.h"
#include "tests/server/plot/figures.h"
#include "tests/support/status_matchers.h"

namespace hourcell::plot::png_test {
namespace {

using testing::StartsWith;

// Width and height stand in the first chunk, IHDR, after the signature and the chunk's head.
uint64_t WidthOf(std::string_view png) {
  return LoadBigEndian(png.data() + 16, 4);
}
uint64_t HeightOf(std::string_view png) {
  return LoadBigEndian(png.data() + 20, 4);
}

TEST(PngTest, HasSignatureAndSize) {
  for (const Figure& figure : {Bars(), Lines(), Heat()}) {
    const auto png = RenderPng(*Compose(figure));
    ASSERT_OK(png);
    ASSERT_THAT(*png, StartsWith("\x89PNG\r\n\x1a\n"));
    EXPECT_EQ(WidthOf(*png), figure.width_px * kPngScale);
    EXPECT_EQ(HeightOf(*png), figure.height_px * kPngScale);
    EXPECT_GT(png->size(), 5'000u);  // it is not blank: a blank one has 4 KiB
  }
}

TEST(PngTest, ShowsWhatIsOnTheScene) {
  const Scene blank{.width = 300, .height = 300};
  Scene marked = blank;
  marked.marks.emplace_back(DotMark{.center = {100, 100}, .radius = 20, .fill = {255, 0, 0}});

  EXPECT_NE(*RenderPng(blank), *RenderPng(marked));
  EXPECT_EQ(*RenderPng(marked), *RenderPng(marked));
}

TEST(PngTest, MarksThatDoNotMeetMayBeDrawnInAnyOrder) {
  const TextMark text{.at = {20, 30}, .text = "words"};
  const LineMark line{.places = {{20, 200}, {280, 250}}, .width = 2};
  const DotMark dot{.center = {250, 60}, .radius = 9};

  EXPECT_EQ(*RenderPng({.width = 300, .height = 300, .marks = {text, line, dot}}),
            *RenderPng({.width = 300, .height = 300, .marks = {dot, line, text}}));
}

TEST(PngTest, MayHaveOnePixelForEachOfTheScene) {
  const auto png = RenderPng(*Compose(Lines()), {.scale = 1});
  ASSERT_OK(png);
  EXPECT_EQ(WidthOf(*png), Lines().width_px);
  EXPECT_EQ(PngBytes(10, 20, 1), 800u);
  EXPECT_EQ(PngBytes(10, 20, 2), 3'200u);
}

TEST(PngTest, EndsWhenItIsToEnd) {
  EXPECT_THAT(RenderPng(*Compose(Lines()), {.goes_on = [] { return false; }}),
              StatusIs(absl::StatusCode::kCancelled));
}

// Cairo draws nothing after a text that is no UTF-8.
TEST(PngTest, ATextOfAnyBytesIsDrawn) {
  const DotMark dot{.center = {250, 60}, .radius = 9, .fill = {255, 0, 0}};
  const TextMark text{.at = {20, 30}, .text = "\xC3(\xFF\x01", .color = {0, 255, 0}};
  const auto png = RenderPng({.width = 300, .height = 300, .marks = {text, dot}});
  ASSERT_OK(png);
  EXPECT_NE(*png, *RenderPng({.width = 300, .height = 300, .marks = {dot}}));
}

}  // namespace
}  // namespace hourcell::plot::png_test
