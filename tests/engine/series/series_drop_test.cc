#include "engine/series/series_drop.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/fsck.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/key_range.h"
#include "engine/series/series_reads.h"
#include "engine/series/series_rows.h"
#include "engine/table/tables.h"
#include "tests/engine/backup/backup_testing.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/temp_dir.h"

namespace hourcell::series_drop_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// All rows of the table, by key.
std::map<std::string, std::string> RowsOf(Tables* tables) {
  std::map<std::string, std::string> rows;
  EXPECT_OK(tables->Snapshot()->Scan(TableId::kSeries, {},
                                     [&](std::string_view key, std::string_view row) {
                                       rows.emplace(key, row);
                                       return true;
                                     }));
  return rows;
}

// Writes the index of these series, and nothing else.
void WriteIndex(const Layout& layout,
                const std::vector<std::pair<SeriesNumber, std::string>>& series,
                Tables* tables) {
  NewSeries added(layout, 1);
  std::vector<NewSeries::Entry> entries;
  for (const auto& [number, tsuid] : series) {
    added.Add(number, tsuid);
    entries.push_back({.number = number, .tsuid = tsuid});
  }
  std::vector<Mutation> group;
  for (SeriesNumber block = 0; block <= series.back().first / kBlockSeries; ++block) {
    const std::string first = BlockKey(block * kBlockSeries);
    AppendBlock(added, block, &group);
    if (group.back().value.find_first_not_of('\0') == std::string::npos) group.pop_back();
  }
  AppendIndexRows(layout, 1, entries, &group, &group);
  ASSERT_OK(tables->Apply(group, /*sync=*/false));
}

std::vector<std::pair<SeriesNumber, std::string>> SomeSeries(const Layout& layout, int count) {
  std::vector<std::pair<SeriesNumber, std::string>> series;
  for (int i = 1; i <= count; ++i) {
    const TagUids tags[] = {{.tagk = 1, .tagv = static_cast<Uid>(i)},
                            {.tagk = 2, .tagv = static_cast<Uid>(i % 3 + 1)}};
    series.emplace_back(i, EncodeTsuid(layout, 1, tags));
  }
  return series;
}

// Whichever are dropped, the rows left are those that the others alone would have written.
TEST(SeriesDropTest, TheOthersRowsAreAsIfTheyHadBeenAlone) {
  const Layout layout;
  const auto all = SomeSeries(layout, 300);
  for (const int every : {1, 2, 3, 64, 299}) {
    SCOPED_TRACE(every);
    std::vector<std::pair<SeriesNumber, std::string>> left;
    std::vector<std::pair<SeriesNumber, std::string>> gone;
    for (const auto& one : all)
      (one.first % static_cast<SeriesNumber>(every) == 0 ? gone : left).push_back(one);
    MemTableStore tables;
    WriteIndex(layout, all, &tables);
    MemTableStore want;
    if (!left.empty()) WriteIndex(layout, left, &want);

    ASSERT_OK(DropSeries(layout, gone, &tables));
    EXPECT_TRUE(RowsOf(&tables) == RowsOf(&want));
    EXPECT_THAT(HasSeriesRow(&tables, layout, 1), IsOkAndHolds(!left.empty()));
    ASSERT_OK(DropSeries(layout, gone, &tables)) << "again, as after a crash";
    EXPECT_TRUE(RowsOf(&tables) == RowsOf(&want));
  }
}

TEST(SeriesDropTest, ASetThatDoesNotDecodeIsLeftAlone) {
  const Layout layout;
  const auto series = SomeSeries(layout, 3);
  MemTableStore tables;
  WriteIndex(layout, series, &tables);
  std::string key = MetricPostingPrefix(layout, 1);
  AppendPostingChunk(1, &key);
  const Mutation damage = SetSeries(key, "\x07");
  ASSERT_OK(tables.Apply({&damage, 1}, /*sync=*/false));
  const auto before = RowsOf(&tables);

  EXPECT_THAT(DropSeries(layout, series, &tables), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_TRUE(RowsOf(&tables) == before);
}

class EmptySeriesTest : public testing::Test {
 protected:
  // 128 series with one point that expires; ten of the series also have one that does not.
  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.ttl_s = 86400;
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    PutManySeries(tsdb.get());
    clock_.Advance(int64_t{30} * 86400 * 1000);
    for (int i = 0; i < 10; ++i)
      Put(tsdb.get(), i);
    ASSERT_OK(tsdb->maintenance().Flush());
    ASSERT_OK(tsdb->maintenance().Compact());
    ASSERT_OK(tsdb->Close());
  }

  void Put(Tsdb* tsdb, int i) {
    OwnedPoint point("many", fmt::format("id=i{}", i), clock_.NowMs() / 1000, i);
    ASSERT_OK(tsdb->points().Put(point.view()));
  }

  FsckReport Check(bool drop) {
    const auto report = RunFsck(options_, {.drop_empty_series = drop});
    EXPECT_OK(report);
    return report.value_or(FsckReport());
  }

  uint64_t SeriesFound(Tsdb* tsdb, const std::string& tags = "") {
    LookupQuery query;
    query.metric = "many";
    if (!tags.empty()) query.tags.push_back({"id", tags});
    const auto found = tsdb->queries().LookupSeries(query, [](const FoundSeries&) { return true; });
    EXPECT_OK(found);
    return found.value_or(0);
  }

  TempDir dir_;
  ManualClock clock_{(kBackupHour + 60) * 1000};
  Options options_ = TinyOptions(dir_.file("store"));
};

TEST_F(EmptySeriesTest, WhatHasExpiredAltogetherIsDroppedIfThatIsAskedFor) {
  EXPECT_EQ(Check(false).series, 128u);
  EXPECT_EQ(Check(false).dropped, 0u);

  // The last is not indexed yet: only whole blocks of 64 are.
  EXPECT_EQ(Check(true).dropped, 117u);

  const FsckReport after = Check(true);
  EXPECT_EQ(after.series, 11u);
  EXPECT_EQ(after.dropped, 0u);
  EXPECT_THAT(after.counts, IsEmpty());
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
  EXPECT_EQ(SeriesFound(tsdb.get()), 11u);
  EXPECT_EQ(SeriesFound(tsdb.get(), "i3"), 1u);
  EXPECT_EQ(SeriesFound(tsdb.get(), "i70"), 0u);
  EXPECT_OK(tsdb->names().FindUid(UidKind::kTagv, "i70")) << "names stay";
}

TEST_F(EmptySeriesTest, APutMakesItAgainUnderANewNumber) {
  ASSERT_EQ(Check(true).dropped, 117u);
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    Put(tsdb.get(), 70);
    EXPECT_EQ(SeriesFound(tsdb.get(), "i70"), 1u);
    EXPECT_THAT(Dump(tsdb.get()), HasSubstr("id=i70"));
    ASSERT_OK(tsdb->Close());
  }
  {
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    ASSERT_OK(tables);
    EXPECT_TRUE(RowsOf(tables->get()).contains(LogRowKey(129))) << "128 were given";
    ASSERT_OK((*tables)->Close());
  }
  const FsckReport after = Check(true);
  EXPECT_EQ(after.series, 12u);
  EXPECT_THAT(after.counts, IsEmpty());
}

TEST_F(EmptySeriesTest, WhatHasAnAnnotationOrAPointInTheJournalStays) {
  Options options = options_;
  options.ttl_s = 0;
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options);
    const auto uid = tsdb->names().FindUid(UidKind::kTagv, "i70");
    ASSERT_OK(uid);
    AnnotationEdit edit{.tsuid = "000001000001" + ToUpperHex(uid->uid_bytes),
                        .start_time = kBackupHour};
    edit.description = "kept";
    ASSERT_OK(tsdb->annotations().Put({&edit, 1}, AnnotationWrite::kMerge));
    ASSERT_OK(tsdb->Close());
  }
  EXPECT_EQ(Check(true).dropped, 116u);
}

// A row that no one can read may be of any series.
TEST_F(EmptySeriesTest, OfAStoreWithFaultsNoneIsDropped) {
  {
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    ASSERT_OK(tables);
    const Mutation row{TableId::kData, Mutation::Kind::kSet, "no key", "no cell"};
    ASSERT_OK((*tables)->Apply({&row, 1}, /*sync=*/false));
    ASSERT_OK((*tables)->Close());
  }
  const FsckReport report = Check(true);
  EXPECT_GT(report.faults(), 0u);
  EXPECT_EQ(report.dropped, 0u);
}

}  // namespace
}  // namespace hourcell::series_drop_test
