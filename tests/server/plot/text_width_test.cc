#include "server/plot/text_width.h"

#include <gtest/gtest.h>

namespace hourcell::plot::text_width_test {
namespace {

TEST(TextWidthTest, GrowsWithTheFontAndTheLetters) {
  EXPECT_EQ(TextWidth("", 12), 0);
  EXPECT_DOUBLE_EQ(TextWidth("abc", 24), 2 * TextWidth("abc", 12));
  EXPECT_LT(TextWidth("iii", 12), TextWidth("nnn", 12));
  EXPECT_LT(TextWidth("nnn", 12), TextWidth("mmm", 12));
}

TEST(TextWidthTest, CountsCharactersNotBytes) {
  EXPECT_DOUBLE_EQ(TextWidth("µ", 12), TextWidth("u", 12));
}

// DejaVu Sans at 12 pixels, measured with a font renderer: 103.
TEST(TextWidthTest, IsNearTheTruth) {
  EXPECT_NEAR(TextWidth("size, bytes/point", 12), 103, 12);
}

TEST(PrintableTextTest, HasNothingThatXmlAndCairoRefuse) {
  EXPECT_EQ(PrintableText("häuser, 東京"), "häuser, 東京");
  EXPECT_EQ(PrintableText(std::string_view("a\0b\n\x7F", 5)), "a?b??");
  EXPECT_EQ(PrintableText("\xC3("), "\uFFFD(");
  EXPECT_EQ(PrintableText("\xEF\xBF\xBF"), "?");
}

}  // namespace
}  // namespace hourcell::plot::text_width_test
