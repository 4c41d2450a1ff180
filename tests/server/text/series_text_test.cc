#include "server/text/series_text.h"

#include <gmock/gmock.h>

#include "tests/support/status_matchers.h"

namespace hourcell::series_text_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SeriesTextTest, TakesAMetricWithOrWithoutTags) {
  EXPECT_EQ(ParseSeriesText("cpu")->metric, "cpu");
  EXPECT_THAT(ParseSeriesText("cpu")->tags, IsEmpty());
  EXPECT_THAT(ParseSeriesText("cpu{}")->tags, IsEmpty());
  const auto series = ParseSeriesText("cpu{host=a,dc=x}");
  ASSERT_OK(series);
  EXPECT_EQ(series->metric, "cpu");
  EXPECT_THAT(series->tags, ElementsAre(TagMatch{"host", "a"}, TagMatch{"dc", "x"}));
}

TEST(SeriesTextTest, EitherSideMayBeEmptyOrAStar) {
  EXPECT_THAT(ParseSeriesText("{host=,=x,*=y,dc=*,=}")->tags,
              ElementsAre(TagMatch{"host", ""}, TagMatch{"", "x"}, TagMatch{"*", "y"},
                          TagMatch{"dc", "*"}, TagMatch{"", ""}));
  EXPECT_EQ(ParseSeriesText("")->metric, "");
  EXPECT_EQ(ParseSeriesText("*")->metric, "*");
}

TEST(SeriesTextTest, ABarSeparatesValues) {
  EXPECT_THAT(ParseSeriesText("m{host=a|b|c=d}")->tags,
              ElementsAre(TagMatch{"host", "a"}, TagMatch{"host", "b"}, TagMatch{"host", "c=d"}));
}

TEST(SeriesTextTest, NamesMayBeQuoted) {
  const auto series = ParseSeriesText(R"("m{a,"{"k=,"="x|y}"|z,host=a})");
  ASSERT_OK(series);
  EXPECT_EQ(series->metric, "m{a,");
  EXPECT_THAT(series->tags,
              ElementsAre(TagMatch{"k=,", "x|y}"}, TagMatch{"k=,", "z"}, TagMatch{"host", "a"}));
}

TEST(SeriesTextTest, SaysWhatIsWrong) {
  EXPECT_THAT(ParseSeriesText("m{host=a"),
              StatusIs(absl::StatusCode::kInvalidArgument, "Missing '}' at the end of: m{host=a"));
  EXPECT_THAT(ParseSeriesText("m{host=a}x"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseSeriesText("m{host}"),
              StatusIs(absl::StatusCode::kInvalidArgument, "invalid tag: host"));
  EXPECT_THAT(ParseSeriesText("m{a=b,,c=d}"),
              StatusIs(absl::StatusCode::kInvalidArgument, "invalid tag: "));
}

}  // namespace
}  // namespace hourcell::series_text_test
