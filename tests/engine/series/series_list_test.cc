#include "engine/series/series_list.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::series_list_test {
namespace {

using testing::ElementsAre;

class SeriesListTest : public testing::Test {
 protected:
  std::string Tsuid(Uid metric, std::vector<TagUids> tags) {
    return EncodeTsuid(layout_, metric, tags);
  }

  Layout layout_;
};

TEST_F(SeriesListTest, SortsByTsuid) {
  const std::string first = Tsuid(1, {{1, 1}});
  const std::string second = Tsuid(1, {{1, 2}, {2, 7}});
  const std::string third = Tsuid(1, {{1, 3}});
  SeriesListBuilder builder(layout_);
  ASSERT_OK(builder.Add(30, third));
  ASSERT_OK(builder.Add(10, first));
  ASSERT_OK(builder.Add(20, second));

  const SeriesList list = std::move(builder).Build();

  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list.number(0), 10u);
  EXPECT_EQ(list.number(1), 20u);
  EXPECT_EQ(list.number(2), 30u);
  EXPECT_EQ(list.tsuid(1), second);
  EXPECT_EQ(list.tag_bytes(1), second.substr(3));
  EXPECT_THAT(list.tags(1), ElementsAre(TagUids{1, 2}, TagUids{2, 7}));
  EXPECT_THAT(list.tags(2), ElementsAre(TagUids{1, 3}));
}

TEST_F(SeriesListTest, MergesAFewMoreIntoMany) {
  const auto list_of = [this](const std::vector<Uid>& tagvs) {
    SeriesListBuilder builder(layout_);
    for (const Uid tagv : tagvs) {
      std::vector<TagUids> tags = {{1, tagv}};
      if (tagv % 2 == 0) tags.push_back({2, tagv + 7});
      EXPECT_OK(builder.Add(tagv * 10, Tsuid(1, tags)));
    }
    return std::move(builder).Build();
  };
  const auto check = [&](const std::vector<Uid>& most, const std::vector<Uid>& few,
                         const std::vector<Uid>& both) {
    const SeriesList merged = SeriesList::Merged(list_of(most), list_of(few));
    const SeriesList want = list_of(both);
    ASSERT_EQ(merged.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(merged.number(i), want.number(i));
      EXPECT_EQ(merged.tsuid(i), want.tsuid(i));
      EXPECT_EQ(merged.tag_bytes(i), want.tag_bytes(i));
      EXPECT_TRUE(std::ranges::equal(merged.tags(i), want.tags(i)));
    }
  };
  check({2, 4, 6, 8}, {1, 5, 9}, {1, 2, 4, 5, 6, 8, 9});
  check({2, 4, 6, 8}, {4, 5, 8}, {2, 4, 5, 6, 8});
  check({3}, {1, 2}, {1, 2, 3});
  check({1, 2}, {}, {1, 2});
  check({}, {1, 2}, {1, 2});
}

TEST_F(SeriesListTest, RefusesWhatIsNoTsuid) {
  SeriesListBuilder builder(layout_);

  EXPECT_THAT(builder.Add(1, "abc"), StatusIs(absl::StatusCode::kInvalidArgument));

  EXPECT_EQ(std::move(builder).Build().size(), 0u);
}

}  // namespace
}  // namespace hourcell::series_list_test
