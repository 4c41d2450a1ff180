#include "codec/rows/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::layout_test {
namespace {

using ::testing::HasSubstr;

constexpr char kDefaultText[] =
    "tsd.storage.uid.width.metric=3\n"
    "tsd.storage.uid.width.tagk=3\n"
    "tsd.storage.uid.width.tagv=3\n"
    "tsd.storage.salt.width=0\n"
    "tsd.storage.salt.buckets=20\n"
    "names=latin1\n"
    "row_key=salt,metric,base_time,tags\n";

Layout UnusualLayout() {
  return {.metric_width = 4,
          .tagk_width = 1,
          .tagv_width = 8,
          .salt_width = 2,
          .salt_buckets = 300,
          .names = NameEncoding::kUtf8,
          .fields = {RowField::kMetric, RowField::kSalt, RowField::kBaseTime, RowField::kTags}};
}

TEST(LayoutTest, FormatsOneSettingALine) {
  EXPECT_EQ(FormatLayout(Layout{}), kDefaultText);
}

TEST(LayoutTest, ReadsBackWhatItFormats) {
  EXPECT_THAT(ParseLayout(kDefaultText), IsOkAndHolds(Layout{}));
  EXPECT_THAT(ParseLayout(FormatLayout(UnusualLayout())), IsOkAndHolds(UnusualLayout()));
}

TEST(LayoutTest, ParseRejectsEveryCutOfTheText) {
  const std::string text = kDefaultText;
  for (size_t size = 0; size < text.size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_THAT(ParseLayout(text.substr(0, size)), StatusIs(absl::StatusCode::kDataLoss));
  }
}

TEST(LayoutTest, ParseRejectsUnknownAndRepeatedSettings) {
  EXPECT_THAT(ParseLayout(std::string(kDefaultText) + "color=blue\n"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("\"color=blue\" is not a setting")));
  EXPECT_THAT(ParseLayout(std::string(kDefaultText) + "names=latin1\n"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not one line a setting")));
}

TEST(LayoutTest, ParseRejectsALayoutThatIsNotValid) {
  std::string text = kDefaultText;
  text.replace(text.find("metric=3"), 8, "metric=9");
  EXPECT_THAT(ParseLayout(text),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected 1 to 8")));
}

TEST(LayoutTest, ValidateNamesTheSettingAndWhatItWants) {
  const auto check = [](auto change, const char* message) {
    SCOPED_TRACE(message);
    Layout layout;
    change(&layout);
    EXPECT_THAT(ValidateLayout(layout),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  };
  check([](Layout* layout) { layout->metric_width = 0; }, "width.metric: expected 1 to 8, got 0");
  check([](Layout* layout) { layout->tagk_width = 9; }, "width.tagk: expected 1 to 8, got 9");
  check([](Layout* layout) { layout->tagv_width = 0; }, "width.tagv: expected 1 to 8, got 0");
  check([](Layout* layout) { layout->salt_width = 9; }, "salt.width: expected 0 to 8, got 9");
  check([](Layout* layout) { layout->salt_buckets = 0; },
        "salt.buckets: expected 1 to 2147483647 with 0 bytes of salt, got 0");
  check([](Layout* layout) { layout->salt_width = 1, layout->salt_buckets = 257; },
        "salt.buckets: expected 1 to 256 with 1 bytes of salt, got 257");
  check([](Layout* layout) { layout->fields.pop_back(); },
        "row_key: expected salt, metric, base_time and tags once each, tags last, got "
        "\"salt,metric,base_time\"");
  check([](Layout* layout) { layout->fields[0] = RowField::kMetric; }, "once each");
  check([](Layout* layout) { std::swap(layout->fields[2], layout->fields[3]); }, "tags last");
}

TEST(LayoutTest, ValidateTakesTheLargestBucketCountOfEveryWidth) {
  EXPECT_OK(ValidateLayout({.salt_width = 1, .salt_buckets = 256}));
  EXPECT_OK(ValidateLayout({.salt_width = 2, .salt_buckets = 65536}));
  EXPECT_OK(ValidateLayout({.salt_width = 8, .salt_buckets = 0x7FFFFFFF}));
  EXPECT_OK(ValidateLayout(UnusualLayout()));
}

TEST(LayoutTest, DescribesEveryDifference) {
  EXPECT_EQ(DescribeDifference(Layout{}, Layout{}), "");
  EXPECT_EQ(DescribeDifference(Layout{}, {.metric_width = 4, .names = NameEncoding::kUtf8}),
            "tsd.storage.uid.width.metric: store has 3, asked for 4; "
            "names: store has latin1, asked for utf8");
  EXPECT_THAT(DescribeDifference(Layout{}, UnusualLayout()),
              HasSubstr("row_key: store has salt,metric,base_time,tags, "
                        "asked for metric,salt,base_time,tags"));
}

}  // namespace
}  // namespace hourcell::layout_test
