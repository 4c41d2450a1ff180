#include "engine/bigtable/rows/group_stages.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rows/series_key.h"

namespace hourcell::group_stages_test {
namespace {

using testing::ElementsAre;
using Kind = Mutation::Kind;

// "uid[=a] data[+b -c]"
std::vector<std::string> TextOf(const std::vector<GroupStage>& stages) {
  std::vector<std::string> texts;
  for (const GroupStage& stage : stages) {
    std::string& text = texts.emplace_back(TableName(stage.table));
    for (const RowChange& row : stage.rows) {
      text += row.kind == Kind::kSet ? " =" : row.kind == Kind::kMerge ? " +" : " -";
      text += row.key;
    }
  }
  return texts;
}

TEST(GroupStagesTest, RowsThatMustFollowEachOtherAreStages) {
  const Mutation group[] = {{TableId::kUid, Kind::kSet, "counter", "1"},
                            {TableId::kUid, Kind::kSet, "reverse", "2"},
                            {TableId::kUid, Kind::kSet, "forward", "3"},
                            {TableId::kSeries, Kind::kSet, "series", "4"},
                            {TableId::kSeries, Kind::kMerge, "p1", PostingOfOne(1)},
                            {TableId::kSeries, Kind::kMerge, "p2", PostingOfOne(1)},
                            {TableId::kData, Kind::kMerge, "r1", ""},
                            {TableId::kData, Kind::kDelete, "r2", ""}};

  EXPECT_THAT(TextOf(StagesOf(group)),
              ElementsAre("uid =counter", "uid =reverse", "uid =forward", "series =series",
                          "series +p1 +p2", "data +r1 -r2"));
}

// The writes of a creation of many series: as many stages as for one.
TEST(GroupStagesTest, RowsOfOneKindAreOneStage) {
  const Mutation group[] = {
      {TableId::kSeries, Kind::kSet, "c", "1"},   {TableId::kUid, Kind::kSet, "ck", "2"},
      {TableId::kUid, Kind::kSet, "cv", "3"},     {TableId::kUid, Kind::kSet, "nk1", "4"},
      {TableId::kUid, Kind::kSet, "nv1", "5"},    {TableId::kUid, Kind::kSet, "ika", "6"},
      {TableId::kUid, Kind::kSet, "ivb", "7"},    {TableId::kSeries, Kind::kSet, "b1", "8"},
      {TableId::kSeries, Kind::kSet, "b2", "9"},  {TableId::kSeries, Kind::kDelete, "b2", ""},
      {TableId::kSeries, Kind::kDelete, "b3", ""}};

  EXPECT_THAT(TextOf(StagesOf(group)),
              ElementsAre("series =c", "uid =ck =cv", "uid =nk1 =nv1", "uid =ika =ivb",
                          "series =b1 =b2", "series -b2 -b3"));
}

TEST(GroupStagesTest, RowsOfOtherTablesAreStagesOfTheirOwn) {
  const Mutation group[] = {{TableId::kSystem, Kind::kSet, "a1", "1"},
                            {TableId::kSystem, Kind::kSet, "a2", "2"},
                            {TableId::kAnnotation, Kind::kSet, "a1", "3"},
                            {TableId::kAnnotation, Kind::kSet, "a2", "4"}};

  EXPECT_THAT(StagesOf(group).size(), 4U);
}

TEST(GroupStagesTest, MutationsOfOneRowAreOneChange) {
  const Mutation group[] = {
      {TableId::kUid, Kind::kSet, "a", "1"},  {TableId::kUid, Kind::kDelete, "a", ""},
      {TableId::kUid, Kind::kSet, "a", "2"},  {TableId::kData, Kind::kSet, "r", "1"},
      {TableId::kData, Kind::kSet, "q", "1"}, {TableId::kData, Kind::kDelete, "r", ""}};

  const std::vector<GroupStage> stages = StagesOf(group);

  EXPECT_THAT(TextOf(stages), ElementsAre("uid =a", "data -r =q"));
  EXPECT_EQ(stages[0].rows[0].value, "2");
}

TEST(GroupStagesTest, ASetDoesNotJoinTheMergesBeforeIt) {
  const Mutation group[] = {{TableId::kSeries, Kind::kMerge, "p1", PostingOfOne(1)},
                            {TableId::kSeries, Kind::kMerge, "p2", PostingOfOne(1)},
                            {TableId::kSeries, Kind::kSet, "p2", PostingOfOne(2)}};

  EXPECT_THAT(TextOf(StagesOf(group)), ElementsAre("series +p1 +p2", "series =p2"));
}

TEST(GroupStagesTest, AMergeIsFoldedIntoWhatIsBeforeIt) {
  const Mutation group[] = {{TableId::kSeries, Kind::kMerge, "p", PostingOfOne(1)},
                            {TableId::kSeries, Kind::kMerge, "p", PostingOfOne(2)},
                            {TableId::kSeries, Kind::kDelete, "q", ""},
                            {TableId::kSeries, Kind::kMerge, "q", PostingOfOne(3)}};

  const std::vector<GroupStage> stages = StagesOf(group);

  EXPECT_THAT(TextOf(stages), ElementsAre("series +p", "series =q"));
  std::vector<SeriesNumber> numbers;
  ASSERT_TRUE(DecodePosting(stages[0].rows[0].value, 0, &numbers).ok());
  EXPECT_THAT(numbers, ElementsAre(1, 2));
}

TEST(GroupStagesTest, AnEmptyGroupHasNone) {
  EXPECT_TRUE(StagesOf({}).empty());
}

}  // namespace
}  // namespace hourcell::group_stages_test
