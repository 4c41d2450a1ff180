#include "engine/bigtable/rows/row_tidy.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rows/series_key.h"
#include "engine/rows/uid_key.h"

namespace hourcell::row_tidy_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using Kind = Mutation::Kind;

std::vector<GroupStage> StageOf(TableId table, const std::string& key, Kind kind = Kind::kSet) {
  return {{.table = table, .rows = {{.key = key, .kind = kind}}}};
}

// After how many writes the row is due; 0: not within some.
int WritesUntilDue(TableId table, const std::string& key, Kind kind = Kind::kSet) {
  RowTidy tidy;
  for (int i = 1; i < 1000; ++i) {
    const RowTidy::Due due = tidy.Written(StageOf(table, key, kind));
    if (due.empty()) continue;
    EXPECT_THAT(due, ElementsAre(Pair(table, ElementsAre(key))));
    return i;
  }
  return 0;
}

TEST(RowTidyTest, RowsThatAreWrittenAgainAndAgainAreDue) {
  EXPECT_EQ(WritesUntilDue(TableId::kUid, UidCounterKey(UidKind::kTagv)), RowTidy::kWritesMax);
  EXPECT_EQ(WritesUntilDue(TableId::kSeries, SeriesCounterKey()), RowTidy::kWritesMax);
  EXPECT_EQ(WritesUntilDue(TableId::kSeries, IndexedKey()), RowTidy::kWritesMax);
  EXPECT_EQ(WritesUntilDue(TableId::kSystem, "low mark"), RowTidy::kWritesMax);
  EXPECT_EQ(WritesUntilDue(TableId::kAnnotation, "note"), RowTidy::kWritesMax);
  EXPECT_EQ(WritesUntilDue(TableId::kSeries, "m-postings", Kind::kMerge), RowTidy::kWritesMax);

  EXPECT_EQ(WritesUntilDue(TableId::kSeries, SeriesTsuidKey("tsuid")), 0);
  EXPECT_EQ(WritesUntilDue(TableId::kUid, UidForwardKey(UidKind::kTagv, "a")), 0);
  EXPECT_EQ(WritesUntilDue(TableId::kData, "row", Kind::kMerge), 0);
}

TEST(RowTidyTest, MarksAreDueTogether) {
  RowTidy tidy;
  for (size_t i = 1; i < RowTidy::kMarksMax; ++i)
    EXPECT_THAT(tidy.Written(StageOf(TableId::kSeries, LogRowKey(i), Kind::kDelete)), IsEmpty());
  const RowTidy::Due due = tidy.Written(StageOf(TableId::kSeries, LogRowKey(999), Kind::kDelete));
  EXPECT_THAT(due.at(TableId::kSeries), SizeIs(RowTidy::kMarksMax));

  tidy.Again(due.at(TableId::kSeries));  // a view may see them
  EXPECT_THAT(
      tidy.Written(StageOf(TableId::kSeries, LogRowKey(1000), Kind::kDelete)).at(TableId::kSeries),
      SizeIs(RowTidy::kMarksMax + 1));
}

TEST(RowTidyTest, OtherDeletesAreNotCounted) {
  EXPECT_EQ(WritesUntilDue(TableId::kUid, UidForwardKey(UidKind::kTagv, "a"), Kind::kDelete), 0);
  EXPECT_EQ(WritesUntilDue(TableId::kSeries, SeriesTsuidKey("tsuid"), Kind::kDelete), 0);
}

}  // namespace
}  // namespace hourcell::row_tidy_test
