#include "server/inputs/point_batch.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace hourcell::point_batch_test {
namespace {

std::string_view Text(PointBatch* batch, std::string_view text) {
  char* const begin = batch->Reserve(text.size() + 100);
  return batch->Keep(begin, std::ranges::copy(text, begin).out);
}

TEST(PointBatchTest, KeepsPointsTextsAndItems) {
  PointBatch batch;
  for (size_t i = 0; i < 10'000; ++i)
    batch.Add(
        {.metric = Text(&batch, std::to_string(i)), .tags = "a=b", .timestamp = {}, .value = {}},
        2 * i);

  ASSERT_EQ(batch.points().size(), 10'000U);
  for (size_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(batch.points()[i].metric, std::to_string(i));
    ASSERT_EQ(batch.ItemOf(i), 2 * i);
  }
}

TEST(PointBatchTest, IsFullByPointsOrByText) {
  PointBatch batch;
  for (size_t i = 0; i < kBatchPoints; ++i) {
    ASSERT_FALSE(batch.is_full());
    batch.Add({}, i);
  }
  EXPECT_TRUE(batch.is_full());

  batch.Clear();
  EXPECT_FALSE(batch.is_full());
  EXPECT_TRUE(batch.points().empty());
  Text(&batch, std::string(kBatchTextBytes - 1, 'x'));
  EXPECT_FALSE(batch.is_full());
  EXPECT_EQ(Text(&batch, "y"), "y");
  EXPECT_TRUE(batch.is_full());
}

TEST(PointBatchTest, GivesRoomAgainThatIsNotKept) {
  PointBatch batch;
  const char* const first = batch.Reserve(1000);
  EXPECT_EQ(batch.Reserve(1000), first);
  const std::string long_text(600'000, 'z');  // more than a chunk
  const std::string_view kept = Text(&batch, long_text);
  EXPECT_EQ(Text(&batch, "short"), "short");
  EXPECT_EQ(kept, long_text);

  batch.Clear();
  EXPECT_EQ(Text(&batch, long_text), long_text);
}

TEST(PointBatchTest, KeepsTagsByTheRule) {
  PointBatch batch;
  const std::vector<TagView> tags = {{"host name", "web01"}, {"dc", "lga:1"}};

  EXPECT_EQ(KeepTags(NameRule(NameEncoding::kLatin1, ""), tags, &batch),
            "\1host_name\1web01\1dc\1lga_1");
}

TEST(PointBatchTest, TimesOfWholeSecondsAreSeconds) {
  EXPECT_EQ(TimestampOfMs(1'356'998'400'000), (Timestamp{.ms = 1'356'998'400'000, .is_ms = false}));
  EXPECT_EQ(TimestampOfMs(1'356'998'400'001), (Timestamp{.ms = 1'356'998'400'001, .is_ms = true}));
}

}  // namespace
}  // namespace hourcell::point_batch_test
