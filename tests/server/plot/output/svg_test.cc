#include "server/plot/output/svg.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/plot/compose.h"
#include "tests/server/plot/figures.h"

namespace hourcell::plot::svg_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

TEST(SvgTest, HasTheTextsAndTheMarks) {
  const std::string bars = SvgText(*Compose(Bars()));

  EXPECT_THAT(bars, AllOf(StartsWith("<svg xmlns="), EndsWith("</svg>\n"),
                          HasSubstr(">Bytes by layout</text>"), HasSubstr(">seed 1</text>"),
                          HasSubstr(">size, bytes/point</text>"), HasSubstr(">compacted</text>"),
                          HasSubstr(">time first</text>")));
  EXPECT_EQ(CountOf(bars, "<rect class=\"bar\""), 6u);
  EXPECT_EQ(CountOf(SvgText(*Compose(Lines())), "<polyline class=\"line\""), 2u);
  EXPECT_EQ(CountOf(SvgText(*Compose(Lines())), "<circle class=\"dot\""), 10u);
  EXPECT_EQ(CountOf(SvgText(*Compose(Heat())), "<rect class=\"cell\""), 6u);
}

TEST(SvgTest, EveryElementIsClosed) {
  const std::string svg = SvgText(*Compose(Bars()));

  EXPECT_EQ(CountOf(svg, "<rect"),
            CountOf(svg, "</rect>") + CountOf(svg, "\"/>\n") - CountOf(svg, "<polyline"));
  EXPECT_EQ(CountOf(svg, "<text"), CountOf(svg, "</text>"));
}

TEST(SvgTest, EscapesWhatXmlReserves) {
  Scene scene{.width = 10, .height = 10};
  scene.marks.emplace_back(TextMark{.text = "a<b & \"c\">\x01", .role = "title"});
  const std::string svg = SvgText(scene);

  EXPECT_THAT(svg, HasSubstr(">a&lt;b &amp; &quot;c&quot;&gt;?</text>"));
  EXPECT_THAT(SvgText(*Compose(Bars())), AllOf(HasSubstr("salt &amp; 4"), Not(HasSubstr("t & 4"))));
}

TEST(SvgTest, WritesPlacesColorsAndTurns) {
  Scene scene{.width = 10, .height = 20};
  scene.marks.emplace_back(LineMark{.places = {{0, 1.5}, {2.25, 3}},
                                    .color = {255, 0, 16},
                                    .width = 2,
                                    .dash = {8, 4},
                                    .role = "line",
                                    .tip = "t"});
  scene.marks.emplace_back(
      TextMark{.at = {1, 2}, .text = "x", .anchor = Anchor::kEnd, .degrees = -90, .role = "y"});

  EXPECT_THAT(SvgText(scene),
              AllOf(HasSubstr("viewBox=\"0 0 10 20\""),
                    HasSubstr("<polyline class=\"line\" points=\"0,1.5 2.25,3\" fill=\"none\" "
                              "stroke=\"#ff0010\" stroke-width=\"2\" stroke-dasharray=\"8 4\">"
                              "<title>t</title></polyline>"),
                    HasSubstr("text-anchor=\"end\" transform=\"rotate(-90 1 2)\">x</text>")));
}

TEST(SvgTest, SameFigureSameBytes) {
  EXPECT_EQ(SvgText(*Compose(Heat())), SvgText(*Compose(Heat())));
}

}  // namespace
}  // namespace hourcell::plot::svg_test
