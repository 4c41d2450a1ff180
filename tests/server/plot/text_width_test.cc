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

}  // namespace
}  // namespace hourcell::plot::text_width_test
