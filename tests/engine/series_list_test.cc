#include "engine/series_list.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell {
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

TEST_F(SeriesListTest, RefusesWhatIsNoTsuid) {
  SeriesListBuilder builder(layout_);

  EXPECT_THAT(builder.Add(1, "abc"), StatusIs(absl::StatusCode::kInvalidArgument));

  EXPECT_EQ(std::move(builder).Build().size(), 0u);
}

}  // namespace
}  // namespace hourcell
