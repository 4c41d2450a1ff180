#include "server/plot/compose.h"

#include <variant>

#include <gtest/gtest.h>

#include "tests/server/plot/figures.h"
#include "tests/support/status_matchers.h"

namespace hourcell::plot::compose_test {
namespace {

TEST(ComposeTest, RefusesWhatIsNoFigure) {
  EXPECT_THAT(Compose(Figure()), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ComposeTest, NoTextBeginsOffThePicture) {
  for (const Figure& figure : {Bars(), Lines(), Heat()}) {
    const Scene scene = *Compose(figure);
    EXPECT_EQ(scene.width, figure.width_px);
    for (const Mark& mark : scene.marks) {
      const TextMark* const text = std::get_if<TextMark>(&mark);
      if (text == nullptr) continue;
      EXPECT_TRUE(text->at.x >= 0 && text->at.x <= scene.width && text->at.y >= 0 &&
                  text->at.y <= scene.height)
          << text->text;
    }
  }
}

}  // namespace
}  // namespace hourcell::plot::compose_test
