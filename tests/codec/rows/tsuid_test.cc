#include "codec/rows/tsuid.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::tsuid_test {
namespace {

using ::testing::HasSubstr;

TEST(TsuidTest, VectorsSplit) {
  for (const TestVector& vector : LoadVectors("storage.json", "tsuid.split")) {
    SCOPED_TRACE(vector.from);
    const Layout layout{.metric_width = static_cast<size_t>(IntOf(vector.given, "metric_width")),
                        .tagk_width = static_cast<size_t>(IntOf(vector.given, "tagk_width")),
                        .tagv_width = static_cast<size_t>(IntOf(vector.given, "tagv_width"))};
    const auto tsuid = UidBytesFromHex(TextOf(vector.given, "tsuid"), 0);
    ASSERT_OK(tsuid);
    const auto series = ParseTsuid(layout, *tsuid);
    if (vector.wants_error()) {
      EXPECT_THAT(series, StatusIs(absl::StatusCode::kInvalidArgument));
      continue;
    }
    ASSERT_OK(series);
    size_t i = 0;
    for (const simdjson::dom::element pair : simdjson::dom::array(vector.expect["pairs"])) {
      ASSERT_LT(i, series->tags.size());
      const std::string tagk = Hex(std::string(std::string_view(pair.at(0))));
      const std::string tagv = Hex(std::string(std::string_view(pair.at(1))));
      EXPECT_THAT(UidToBytes(series->tags[i].tagk, layout.tagk_width), IsOkAndHolds(tagk));
      EXPECT_THAT(UidToBytes(series->tags[i].tagv, layout.tagv_width), IsOkAndHolds(tagv));
      ++i;
    }
    EXPECT_EQ(i, series->tags.size());
  }
}

TEST(TsuidTest, EveryOrderOfFourTagsGivesTheSameBytes) {
  // Two share a tagk, so that the tagv decides; the largest would be negative as a signed byte.
  std::vector<TagUids> tags = {{1, 9}, {2, 3}, {2, 0x800000}, {0xFF0000, 1}};
  const std::string want = Hex("00002a 000001 000009 000002 000003 000002 800000 ff0000 000001");
  size_t orders = 0;
  do {
    EXPECT_EQ(ToHex(EncodeTsuid(Layout{}, 42, tags)), ToHex(want));
    ++orders;
  } while (std::next_permutation(tags.begin(), tags.end()));
  EXPECT_EQ(orders, 24U);
}

TEST(TsuidTest, ParsesWhatItEncodesInEveryWidth) {
  for (size_t width = 1; width <= 8; ++width) {
    SCOPED_TRACE(width);
    const Layout layout{.metric_width = width, .tagk_width = 9 - width, .tagv_width = width};
    const SeriesUids series{.metric = MaxUnsigned(width),
                            .tags = {{1, MaxUnsigned(width)}, {MaxUnsigned(9 - width), 1}}};

    const std::string tsuid = EncodeTsuid(layout, series.metric, series.tags);

    EXPECT_EQ(tsuid.size(), width + 2 * 9);
    EXPECT_THAT(ParseTsuid(layout, tsuid), IsOkAndHolds(series));
  }
}

TEST(TsuidTest, ParseRejectsEveryTruncation) {
  const std::string tsuid = Hex("000001000002000003");
  for (size_t size = 0; size < tsuid.size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_THAT(ParseTsuid(Layout{}, tsuid.substr(0, size)),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1 to 64 tags of 6")));
  }
}

TEST(TsuidTest, ParseTakesTheMostTagsAndNotOneMore) {
  EXPECT_OK(ParseTsuid(Layout{}, std::string(3 + 6 * kTagsMax, '\x01')));
  EXPECT_THAT(ParseTsuid(Layout{}, std::string(3 + 6 * (kTagsMax + 1), '\x01')),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace hourcell::tsuid_test
