#include "engine/series/active_sets.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/fsck.h"
#include "engine/query.h"
#include "engine/query/query_control.h"
#include "engine/query/result_collector.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/system_table.h"
#include "engine/table/tables.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/mem_uid_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::active_sets_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kFirstS = 1356998400;  // midnight of day 15706
constexpr uint32_t kFirstDay = kFirstS / kDayS;
static_assert(kFirstS % kDayS == 0);

constexpr ScanBounds Hours(uint32_t first_hour, uint32_t hours) {
  return {.begin_s = kFirstS + first_hour * 3600,
          .end_s = uint64_t{kFirstS} + (first_hour + hours) * 3600};
}

TEST(ActiveSetKeyTest, IsMetricDayAndChunk) {
  std::string key = ActiveSetPrefix(Layout(), 0x010203, kFirstDay);
  AppendPostingChunk(0x12345, &key);
  EXPECT_EQ(key, std::string("a\x01\x02\x03\x3d\x5a\x00\x00\x00\x00\x00\x01", 12));
}

// Sets over lanes and tables in memory.
class ActiveSetsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto uids = UidDirectory::Open({.layout = layout_}, &names_);
    ASSERT_OK(uids);
    uids_ = *std::move(uids);
    auto series = SeriesTable::Open(
        layout_, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);
    ASSERT_OK(series);
    series_ = *std::move(series);
    sets_ = NewSets(/*is_whole=*/true);
  }

  std::unique_ptr<ActiveSets> NewSets(bool is_whole) {
    return std::make_unique<ActiveSets>(layout_,
                                        ActiveSets::Parts{.tables = &tables_,
                                                          .series = series_.get(),
                                                          .open_hours = &open_hours_,
                                                          .row_keys = &row_keys_,
                                                          .rollups = rollups_.get()},
                                        is_whole);
  }

  // A point in that hour; returns the series.
  SeriesNumber Put(const std::string& metric, const std::string& host, uint32_t hour) {
    OwnedPoint point(metric, "host=" + host, Timestamp{.ms = int64_t{kFirstS} * 1000},
                     Value::Integer(1));
    const PointView view = point.view();
    const PointView* const points[] = {&view};
    std::vector<Parsed<SeriesRef>> found;
    series_->GetOrCreate(points, &found);
    const SeriesNumber number = found[0].ok() ? found[0]->number : 0;
    EXPECT_NE(number, 0U);
    PlacedPoint placed{.series = number,
                       .slot = UINT32_MAX,
                       .time = {.ms = (int64_t{kFirstS} + hour * 3600) * 1000},
                       .value = Value::Integer(1)};
    int64_t bytes = 0;
    open_hours_.LaneOf(number).Append({&placed, 1}, 0, &bytes);
    return number;
  }

  Uid MetricUid(const std::string& name) {
    return uids_->Get(UidKind::kMetric, name).value_or(kNoUid);
  }
  std::vector<SeriesNumber> Active(const std::string& metric, const ScanBounds& bounds) {
    const auto active = sets_->Of(MetricUid(metric), bounds);
    EXPECT_OK(active);
    EXPECT_TRUE(active.ok() && active->has_value());
    return active.ok() && active->has_value() ? **active : std::vector<SeriesNumber>();
  }
  std::vector<SeriesNumber> Stored(const std::string& metric, uint32_t day) {
    const auto stored =
        ReadActiveSets(layout_, MetricUid(metric), day, day, tables_.Snapshot().get());
    EXPECT_OK(stored);
    return stored.value_or(std::vector<SeriesNumber>());
  }

  const Layout layout_;
  const RowKeyCodec row_keys_{layout_};
  MemTableStore tables_;
  MemUidStore names_;
  TableUidStore uid_store_{layout_, &tables_};
  std::unique_ptr<UidDirectory> uids_;
  std::unique_ptr<SeriesTable> series_;
  OpenHours open_hours_{2};
  std::unique_ptr<RollupMarks> rollups_;  // null unless a test makes it
  std::unique_ptr<ActiveSets> sets_;
};

TEST_F(ActiveSetsTest, HaveASeriesFromItsFirstPointOfADayOn) {
  const SeriesNumber a = Put("m", "a", 0);
  const SeriesNumber b = Put("m", "b", 30);
  const SeriesNumber other = Put("n", "a", 0);

  EXPECT_THAT(Active("m", Hours(0, 1)), ElementsAre(a));
  EXPECT_THAT(Active("m", Hours(23, 1)), ElementsAre(a)) << "of the day, not of the hour";
  EXPECT_THAT(Active("m", Hours(24, 24)), ElementsAre(b));
  EXPECT_THAT(Active("m", Hours(23, 2)), ElementsAre(a, b));
  EXPECT_THAT(Active("m", Hours(48, 24)), IsEmpty());
  EXPECT_THAT(Active("n", Hours(0, 1)), ElementsAre(other));
  Put("m", "b", 1);
  EXPECT_THAT(Active("m", Hours(0, 1)), ElementsAre(a, b));
}

// Also a series that is in the set of the day, and also if the sets are not whole.
TEST_F(ActiveSetsTest, ShowHoursBelowTheLimitOfTheirMetricToTheMarks) {
  auto marks = RollupMarks::Open(&tables_, /*is_kept=*/true);
  ASSERT_OK(marks);
  rollups_ = *std::move(marks);
  sets_ = NewSets(/*is_whole=*/false);
  const SeriesNumber a = Put("m", "a", 5);
  ASSERT_OK(sets_->TakeOpened());
  ASSERT_OK(rollups_->Begin(MetricUid("m"), "1h(sum)"));
  rollups_->Promise(MetricUid("m"), kFirstS + 10 * 3600);
  Put("m", "a", 5);   // open already
  Put("m", "a", 10);  // not below the limit
  Put("n", "a", 5);   // another metric
  Put("m", "a", 3);
  Put("m", "b", 3);
  ASSERT_OK(sets_->TakeOpened());

  const std::vector<NotedMark> noted = rollups_->MarksOf(MetricUid("m"), 10);
  ASSERT_EQ(noted.size(), 2U);
  EXPECT_EQ(noted[0].mark.series, a);
  EXPECT_EQ(noted[0].mark.begin_s, kFirstS + 3 * 3600U);
  EXPECT_EQ(noted[0].mark.end_s, kFirstS + 4 * 3600U);
  EXPECT_EQ(noted[1].mark.begin_s, kFirstS + 3 * 3600U);
  EXPECT_THAT(rollups_->MarksOf(MetricUid("n"), 10), IsEmpty());
}

TEST_F(ActiveSetsTest, AreInTheTableOnceWritten) {
  const SeriesNumber a = Put("m", "a", 0);
  EXPECT_THAT(Stored("m", kFirstDay), IsEmpty());
  ASSERT_OK(sets_->Write());
  EXPECT_THAT(Stored("m", kFirstDay), ElementsAre(a));
  const SeriesNumber b = Put("m", "b", 1);
  Put("m", "a", 2);  // known
  EXPECT_THAT(Active("m", Hours(0, 1)), ElementsAre(a, b)) << "from both";
  ASSERT_OK(sets_->Write());
  EXPECT_THAT(Stored("m", kFirstDay), ElementsAre(a, b));
}

TEST_F(ActiveSetsTest, WhatCannotBeWrittenIsKeptAndWrittenLater) {
  const SeriesNumber a = Put("m", "a", 0);
  tables_.FailApplies(1);
  EXPECT_FALSE(sets_->Write().ok());
  EXPECT_THAT(Active("m", Hours(0, 1)), ElementsAre(a));
  tables_.FailApplies(0);
  const SeriesNumber b = Put("m", "b", 0);
  ASSERT_OK(sets_->Write());
  EXPECT_THAT(Stored("m", kFirstDay), ElementsAre(a, b));
}

TEST_F(ActiveSetsTest, SayNothingOfManyDaysOrIfTheyAreNotWhole) {
  Put("m", "a", 0);
  EXPECT_THAT(sets_->Of(MetricUid("m"), Hours(0, 33 * 24)), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(sets_->Of(MetricUid("m"), {.begin_s = 0, .end_s = uint64_t{1} << 33}),
              IsOkAndHolds(std::nullopt));
  sets_ = NewSets(/*is_whole=*/false);
  EXPECT_THAT(sets_->Of(MetricUid("m"), Hours(0, 1)), IsOkAndHolds(std::nullopt));
}

TEST_F(ActiveSetsTest, ADamagedSetSaysNothing) {
  Put("m", "a", 0);
  ASSERT_OK(sets_->Write());
  std::string key = ActiveSetPrefix(layout_, MetricUid("m"), kFirstDay);
  AppendPostingChunk(1, &key);
  const Mutation bad{TableId::kSeries, Mutation::Kind::kSet, key, "\x07"};
  ASSERT_OK(tables_.Apply({&bad, 1}, false));
  EXPECT_THAT(sets_->Of(MetricUid("m"), Hours(0, 1)), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(Active("m", Hours(24, 1)), IsEmpty()) << "another day's";
}

TEST_F(ActiveSetsTest, SetsOfExpiredDaysAreDropped) {
  const SeriesNumber a = Put("m", "a", 0);
  Put("m", "a", 24);
  Put("n", "a", 0);
  Put("n", "a", 24);
  ASSERT_OK(sets_->Write());
  const auto expires_before = [&](Uid metric) {
    const int64_t second_day_ms = (int64_t{kFirstS} + kDayS) * 1000;
    return metric == MetricUid("m") ? second_day_ms : second_day_ms - 1;
  };
  EXPECT_THAT(sets_->DropExpired(expires_before), IsOkAndHolds(ElementsAre(MetricUid("m"))));
  EXPECT_THAT(Stored("m", kFirstDay), IsEmpty());
  EXPECT_THAT(Stored("m", kFirstDay + 1), ElementsAre(a));
  EXPECT_EQ(Stored("n", kFirstDay).size(), 1U) << "its last millisecond is not expired";
  Put("m", "a", 1);
  EXPECT_THAT(Active("m", Hours(0, 1)), ElementsAre(a)) << "put again, under a longer TTL";
  EXPECT_THAT(sets_->DropExpired([](Uid) { return 0; }), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(Stored("m", kFirstDay + 1), ElementsAre(a));
}

// It is out of sight, not gone: the TTL may be raised.
TEST_F(ActiveSetsTest, TheSetOfAnExpiredDayStaysAsLongAsARowOfItDoes) {
  const SeriesNumber a = Put("m", "a", 0);
  Put("m", "a", 24);
  Put("m", "a", 48);
  ASSERT_OK(sets_->Write());
  const auto all_expired = [](Uid) { return (int64_t{kFirstS} + 9 * kDayS) * 1000; };
  std::string key;
  row_keys_.Append(
      EncodeTsuid(layout_, MetricUid("m"), std::vector<TagUids>{{.tagk = 1, .tagv = 1}}),
      kFirstS + 30 * 3600, &key);
  const Mutation row{TableId::kData, Mutation::Kind::kSet, key, "cell"};
  ASSERT_OK(tables_.Apply({&row, 1}, false));

  EXPECT_THAT(sets_->DropExpired(all_expired), IsOkAndHolds(ElementsAre(MetricUid("m"))));
  EXPECT_THAT(Stored("m", kFirstDay), IsEmpty()) << "before all rows";
  EXPECT_THAT(Stored("m", kFirstDay + 1), ElementsAre(a));
  EXPECT_THAT(Stored("m", kFirstDay + 2), ElementsAre(a));

  const Mutation gone{TableId::kData, Mutation::Kind::kDelete, key, {}};
  ASSERT_OK(tables_.Apply({&gone, 1}, false));
  EXPECT_THAT(sets_->DropExpired(all_expired), IsOkAndHolds(ElementsAre(MetricUid("m"))));
  EXPECT_THAT(Stored("m", kFirstDay + 2), IsEmpty());
}

TEST_F(ActiveSetsTest, RemoveThoseOfAnyDay) {
  const SeriesNumber a = Put("m", "a", 0);
  const SeriesNumber b = Put("m", "b", 0);
  const SeriesNumber c = Put("m", "c", 48);
  const SeriesNumber other = Put("n", "a", 0);
  ASSERT_OK(sets_->Write());
  const SeriesNumber far = (SeriesNumber{5} << 16) + a;  // of another chunk
  std::vector<SeriesNumber> numbers = {a, c, other, 100, far};
  ASSERT_OK(sets_->RemoveActive(MetricUid("m"), &numbers));
  EXPECT_THAT(numbers, ElementsAre(other, 100, far));
  numbers = {b};
  ASSERT_OK(sets_->RemoveActive(MetricUid("m"), &numbers));
  EXPECT_THAT(numbers, IsEmpty());
}

// A store with many series of the first day and few of the tenth.
class ChurnTest : public testing::Test {
 protected:
  static constexpr int kOld = 400;
  static constexpr int kNew = 5;

  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.active_from_series = 1;
    options_.journal_segment_bytes = 256 << 10;  // it is copied
    Open();
  }
  void Open() { tsdb_ = *Tsdb::Open(options_); }
  void Reopen() {
    ASSERT_OK(tsdb_->Close());
    Open();
  }
  void PutSeries(const std::string& of, int count, uint32_t hour) {
    std::vector<OwnedPoint> points;
    for (int i = 0; i < count; ++i) {
      points.emplace_back("m", fmt::format("host={}{} dc=x", of, i),
                          Timestamp{.ms = (int64_t{kFirstS} + hour * 3600) * 1000},
                          Value::Integer(i));
    }
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    ASSERT_OK(tsdb_->points().Append(views, nullptr).Wait());
  }
  void PutAll() {
    PutSeries("old", kOld, 0);
    PutSeries("new", kNew, 240);
  }

  // How many series the plan selects, and how many the answer counts.
  std::pair<uint64_t, double> Count(uint32_t first_hour,
                                    uint32_t hours,
                                    std::vector<TagFilterSpec> filters = {}) {
    QuerySpec spec =
        MakeQuery(Aggregator::kCount, "m", std::move(filters), kFirstS + int64_t{first_hour} * 3600,
                  kFirstS + int64_t{first_hour + hours} * 3600 - 1);
    QueryControl control;
    QueryResult result;
    ResultCollector collector(&result);
    EXPECT_OK(tsdb_->queries().Query(spec, &collector, &control));
    EXPECT_EQ(control.plans().size(), 1U);
    const bool has_one = result.series.size() == 1 && result.series[0].points.size() == 1;
    return {control.plans()[0].series, has_one ? result.series[0].points[0].value.ToDouble() : 0.0};
  }

  TempDir directory_;
  ManualClock clock_{int64_t{kFirstS} * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

using Counted = std::pair<uint64_t, double>;

TEST_F(ChurnTest, APlanOfADayTouchesTheSeriesOfThatDay) {
  PutAll();
  EXPECT_EQ(Count(240, 1), Counted(kNew, kNew)) << "open hours";
  ASSERT_OK(tsdb_->maintenance().Flush());
  EXPECT_EQ(Count(240, 1), Counted(kNew, kNew)) << "cells";
  Reopen();
  EXPECT_EQ(Count(240, 1), Counted(kNew, kNew)) << "the list is not in memory";
  EXPECT_EQ(Count(0, 1), Counted(kOld, kOld)) << "now it is";
  EXPECT_EQ(Count(240, 1), Counted(kNew, kNew)) << "and is thinned out";
  EXPECT_EQ(Count(100, 1), Counted(0, 0));
  EXPECT_EQ(Count(0, 40 * 24).first, uint64_t{kOld + kNew}) << "more days than sets are read of";
}

TEST_F(ChurnTest, OfAValueThatManyHadToo) {
  PutAll();
  Reopen();
  const std::vector<TagFilterSpec> in_x = {
      {.tagk = "dc", .type = FilterType::kLiteralOr, .filter = "x", .group_by = false}};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(Count(240, 1, in_x), Counted(kNew, kNew)) << i;
}

TEST_F(ChurnTest, AKilledStoreKnowsWhatWasOpen) {
  PutAll();
  ASSERT_OK(tsdb_->maintenance().Flush());
  PutSeries("late", 3, 241);
  const TempDir copy;
  const std::string killed = CopyStore(options_.path, copy);
  tsdb_.reset();
  options_.path = killed;
  Open();
  EXPECT_EQ(Count(241, 1), Counted(kNew + 3, 3));
}

// Acts as a program that keeps no sets: it moves the low mark and leaves that of the sets.
TEST_F(ChurnTest, SetsThatAnotherProgramDidNotKeepAreNotTrustedUntilTheyAreMade) {
  PutAll();
  ASSERT_OK(tsdb_->Close());
  const auto run = [&](const auto& change) {
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    ASSERT_OK(tables);
    change(tables->get());
    ASSERT_OK((*tables)->Flush(TableId::kSystem));
    ASSERT_OK((*tables)->Close());
  };
  run([](Tables* tables) {
    std::vector<Mutation> gone;
    ASSERT_OK(tables->Snapshot()->Scan(
        TableId::kSeries, {.begin = "a", .end = "b"}, [&](std::string_view key, std::string_view) {
          gone.push_back({TableId::kSeries, Mutation::Kind::kDelete, std::string(key), {}});
          return true;
        }));
    EXPECT_EQ(gone.size(), 2U);
    ASSERT_OK(tables->Apply(gone, false));
    const auto low_mark = ReadLowMark(tables);
    ASSERT_OK(low_mark);
    ASSERT_OK(WriteLowMark(*low_mark + 1, {}, tables));
    EXPECT_THAT(ReadActiveSetsAreKept(tables), IsOkAndHolds(false));
    ASSERT_OK(WriteLowMark(*low_mark, {}, tables));
    const Mutation stale{TableId::kSystem, Mutation::Kind::kSet, "active_mark", "0"};
    ASSERT_OK(tables->Apply({&stale, 1}, false));
  });
  Open();
  EXPECT_EQ(Count(240, 1), Counted(kOld + kNew, kNew));
  PutSeries("late", 1, 241);
  Reopen();
  EXPECT_EQ(Count(240, 1), Counted(kOld + kNew + 1, kNew)) << "not even after one that keeps them";
  ASSERT_OK(tsdb_->Close());
  const auto checked = RunFsck(options_, {});
  ASSERT_OK(checked);
  EXPECT_THAT(checked->counts, IsEmpty());
  const auto fixed = RunFsck(options_, {.fix_index = true});
  ASSERT_OK(fixed);
  EXPECT_GT(fixed->fixed, 0U);
  Open();
  EXPECT_EQ(Count(240, 1), Counted(kNew + 1, kNew));
  EXPECT_EQ(Count(0, 1), Counted(kOld, kOld));
}

}  // namespace
}  // namespace hourcell::active_sets_test
