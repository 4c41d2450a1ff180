#include "server/graph/graph_look.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::graph_look_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::StatusOr<GraphLook> Parse(std::vector<std::pair<std::string, std::string>> params) {
  HttpRequest request;
  request.method = "GET";
  request.params = std::move(params);
  return ParseGraphLook(request, "");
}

std::string ErrorOf(const std::string& name, const std::string& value) {
  const absl::StatusOr<GraphLook> look = Parse({{name, value}});
  return look.ok() ? "OK" : std::string(look.status().message());
}

TEST(GraphLookTest, DefaultsAreOpenTsdbs) {
  const absl::StatusOr<GraphLook> look = Parse({});
  ASSERT_OK(look);
  EXPECT_EQ(look->width_px, 1024u);
  EXPECT_EQ(look->height_px, 768u);
  EXPECT_EQ(look->zone, absl::UTCTimeZone());
  EXPECT_THAT(look->is_right, IsEmpty());
}

TEST(GraphLookTest, ReadsWhatTheOldPageSends) {
  const absl::StatusOr<GraphLook> look = Parse({{"m", "sum:a"},
                                                {"o", ""},
                                                {"m", "sum:b"},
                                                {"o", "axis x1y2"},
                                                {"wxh", "800x400"},
                                                {"yrange", "[0:]"},
                                                {"y2range", "[:5e3]"},
                                                {"ylog", ""},
                                                {"ylabel", "load"},
                                                {"y2format", "%.0f%%"},
                                                {"key", "out right top box"},
                                                {"bgcolor", "x102030"},
                                                {"fgcolor", "xFFFFFF"},
                                                {"style", "linespoint"},
                                                {"smooth", "csplines"},
                                                {"tz", "Europe/Berlin"},
                                                {"y", "of another page"}});
  // An end of zero has no logarithm.
  EXPECT_THAT(look, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("logarithmic")));
}

TEST(GraphLookTest, ReadsEachParameter) {
  const absl::StatusOr<GraphLook> look = Parse({{"m", "sum:a"},
                                                {"o", ""},
                                                {"m", "sum:b"},
                                                {"o", "axis x1y2"},
                                                {"wxh", "800x400"},
                                                {"yrange", "[1:]"},
                                                {"y2range", "[:5e3]"},
                                                {"ylog", ""},
                                                {"ylabel", "load"},
                                                {"y2format", "%.0f%%"},
                                                {"key", "out right top box"},
                                                {"bgcolor", "x102030"},
                                                {"fgcolor", "xFFFFFF"},
                                                {"style", "linespoint"},
                                                {"smooth", "csplines"},
                                                {"tz", "Europe/Berlin"}});
  ASSERT_OK(look);
  EXPECT_THAT(look->is_right, ElementsAre(false, true));
  EXPECT_EQ(look->width_px, 800u);
  EXPECT_EQ(look->height_px, 400u);
  EXPECT_EQ(look->y.min, 1);
  EXPECT_FALSE(look->y.max.has_value());
  EXPECT_EQ(look->y2.max, 5000);
  EXPECT_TRUE(look->y.is_log);
  EXPECT_FALSE(look->y2.is_log);
  EXPECT_EQ(look->y.label, "load");
  EXPECT_EQ(look->y2.format->Print(50), "50%");
  EXPECT_EQ(look->legend, plot::LegendPlace::kRight);
  EXPECT_TRUE(look->has_legend_box);
  EXPECT_EQ(look->theme.ground, (plot::Color{0x10, 0x20, 0x30}));
  EXPECT_EQ(look->theme.ink, (plot::Color{0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(look->style, plot::LineStyle::kLinesPoints);
  EXPECT_TRUE(look->is_smooth);
  EXPECT_EQ(look->zone.name(), "Europe/Berlin");
}

TEST(GraphLookTest, KeyWordsSayWhereTheNamesAre) {
  const auto place = [](const std::string& key) { return Parse({{"key", key}})->legend; };
  EXPECT_EQ(place("out"), plot::LegendPlace::kAbove);
  EXPECT_EQ(place("top left"), plot::LegendPlace::kTopLeft);
  EXPECT_EQ(place("bottom right horiz"), plot::LegendPlace::kBottomRight);
  EXPECT_EQ(place("bottom left box"), plot::LegendPlace::kBottomLeft);
  EXPECT_EQ(place(""), plot::LegendPlace::kTopRight);
  EXPECT_EQ(Parse({{"key", "top"}, {"nokey", ""}})->legend, plot::LegendPlace::kNone);
}

TEST(GraphLookTest, WhatIsWrongIsSaidInWords) {
  EXPECT_EQ(
      ErrorOf("wxh", "99x100"),
      "wxh: expected WIDTHxHEIGHT in pixels, each 100 to 4000, such as 1024x768, got \"99x100\"");
  for (const std::string size : {"", "x", "800", "800x", "4001x100", "1e3x100", "-800x100"})
    EXPECT_THAT(ErrorOf("wxh", size), HasSubstr("WIDTHxHEIGHT")) << size;
  for (const std::string range :
       {"", "0:1", "[0]", "[a:1]", "[0:1e151]", "[NaN:1]", "[:", "[0:1:2]"})
    EXPECT_THAT(ErrorOf("yrange", range), HasSubstr("[LOW:HIGH]")) << range;
  EXPECT_THAT(ErrorOf("y2range", "[2:1]"), HasSubstr("the lower end first"));
  EXPECT_THAT(ErrorOf("title", std::string(201, 'x')), HasSubstr("bytes, got 201"));
  EXPECT_THAT(ErrorOf("yformat", "%n"), HasSubstr("unknown conversion"));
  EXPECT_THAT(ErrorOf("xformat", "`ls`"), HasSubstr("strftime"));
  EXPECT_THAT(ErrorOf("bgcolor", "red"), HasSubstr("xRRGGBB, or transparent"));
  EXPECT_THAT(ErrorOf("fgcolor", "transparent"), HasSubstr("xRRGGBB"));
  EXPECT_THAT(ErrorOf("style", "filledcurves"), HasSubstr("impulses"));
  EXPECT_THAT(ErrorOf("smooth", "very"), HasSubstr("csplines"));
  EXPECT_THAT(ErrorOf("key", "out of reach"), HasSubstr("expected words"));
  EXPECT_THAT(ErrorOf("tz", "Mars/Base"), HasSubstr("timezone"));
  EXPECT_EQ(ErrorOf("o", ""), "1 `o' parameters, but 0 `m' parameters.");
  EXPECT_THAT(std::string(Parse({{"m", "a"}, {"o", "with lines; !ls"}}).status().message()),
              HasSubstr("axis x1y2"));
}

}  // namespace
}  // namespace hourcell::graph_look_test
