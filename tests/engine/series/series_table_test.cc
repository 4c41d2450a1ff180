#include "engine/series/series_table.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "engine/hours/tsuid_list.h"
#include "engine/series/series_drop.h"
#include "engine/series/series_rows.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"

namespace hourcell::series_table_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class SeriesTableTest : public testing::Test {
 protected:
  SeriesTableTest() { Reopen({}); }

  void Reopen(UidOptions options) {
    options.layout = layout_;
    uids_ = *UidDirectory::Open(options, &uid_store_);
    table_ = *SeriesTable::Open(
        layout_, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);
  }

  std::vector<Parsed<SeriesRef>> Create(std::vector<OwnedPoint> points) {
    std::vector<const PointView*> views;
    for (OwnedPoint& point : points)
      views.push_back(&point.view());
    std::vector<Parsed<SeriesRef>> results;
    table_->GetOrCreate(views, &results);
    return results;
  }

  // The contents of metric "m", and of its series with dc=d0, by each way to look.
  struct Answers {
    std::vector<SeriesNumber> of_metric;
    std::vector<SeriesNumber> with_tag;
    std::vector<std::pair<std::string, SeriesNumber>> by_tsuid;
    friend bool operator==(const Answers&, const Answers&) = default;
  };
  Answers Ask() {
    Answers answers;
    const Uid metric = *uids_->Get(UidKind::kMetric, "m");
    const TagUids dc{.tagk = *uids_->Get(UidKind::kTagk, "dc"),
                     .tagv = *uids_->Get(UidKind::kTagv, "d0")};
    answers.of_metric = *table_->OfMetric(metric);
    answers.with_tag = *table_->WithTag(metric, dc);
    EXPECT_OK(table_->VisitMetric(metric, [&](SeriesNumber n, std::string_view tsuid) {
      answers.by_tsuid.emplace_back(tsuid, n);
      return true;
    }));
    EXPECT_TRUE(std::ranges::is_sorted(answers.of_metric));
    EXPECT_TRUE(std::ranges::is_sorted(answers.by_tsuid));
    for (const auto& [tsuid, number] : answers.by_tsuid)
      EXPECT_THAT(table_->NumberOf(tsuid), IsOkAndHolds(number));
    // Numbers and tsuids agree.
    std::vector<SeriesNumber> numbers;
    for (const auto& [tsuid, number] : answers.by_tsuid)
      numbers.push_back(number);
    std::vector<std::string> tsuids;
    EXPECT_OK(table_->TsuidsOf(numbers, &tsuids));
    for (size_t i = 0; i < tsuids.size(); ++i)
      EXPECT_EQ(tsuids[i], answers.by_tsuid[i].first);
    return answers;
  }

  const Layout layout_;
  MemTableStore tables_;
  TableUidStore uid_store_{layout_, &tables_};
  std::unique_ptr<UidDirectory> uids_;
  std::unique_ptr<SeriesTable> table_;
};

TEST_F(SeriesTableTest, NumbersSeriesFromOne) {
  const auto created = Create({{"m", "h=a", 0, 0}, {"m", "h=b", 0, 0}, {"m", "h=a", 9, 9}});

  ASSERT_THAT(created, SizeIs(3));
  EXPECT_EQ(created[0]->number, 1u);
  EXPECT_EQ(created[1]->number, 2u);
  EXPECT_TRUE(created[0]->is_new);
  SeriesRef known = *created[0];
  known.is_new = false;
  EXPECT_EQ(*created[2], known);
  EXPECT_EQ(table_->created(), 2u);
}

TEST_F(SeriesTableTest, TagOrderDoesNotMatter) {
  const auto created = Create({{"m", "h=a dc=x", 0, 0}, {"m", "dc=x h=a", 0, 0}});

  EXPECT_EQ(created[0]->number, created[1]->number);
  EXPECT_EQ(created[0]->tsuid, created[1]->tsuid);
  // The UIDs follow the point's own order.
  EXPECT_EQ(created[0]->tags[0], created[1]->tags[1]);
  EXPECT_EQ(created[0]->tags[1], created[1]->tags[0]);
}

TEST_F(SeriesTableTest, FindsSeriesByTagAndMetric) {
  Create({{"m", "h=a dc=x", 0, 0}, {"m", "h=b dc=x", 0, 0}, {"n", "h=a", 0, 0}});
  const Uid metric = *uids_->Get(UidKind::kMetric, "m");
  const TagUids dc_x = {.tagk = *uids_->Get(UidKind::kTagk, "dc"),
                        .tagv = *uids_->Get(UidKind::kTagv, "x")};
  const TagUids host_b = {.tagk = *uids_->Get(UidKind::kTagk, "h"),
                          .tagv = *uids_->Get(UidKind::kTagv, "b")};

  EXPECT_THAT(table_->OfMetric(metric), IsOkAndHolds(ElementsAre(1u, 2u)));
  EXPECT_THAT(table_->WithTag(metric, dc_x), IsOkAndHolds(ElementsAre(1u, 2u)));
  EXPECT_THAT(table_->WithTag(metric, host_b), IsOkAndHolds(ElementsAre(2u)));
}

// The contents of memory, of the tables, and of both.
TEST_F(SeriesTableTest, SaysWhetherAMetricHasSeries) {
  const Uid none = *uids_->GetOrAssign(UidKind::kMetric, "none");
  Create({{"m", "host=a", 1, 1}});
  const Uid metric = *uids_->Get(UidKind::kMetric, "m");
  EXPECT_THAT(table_->HasSeries(metric), IsOkAndHolds(true)) << "in memory";
  EXPECT_THAT(table_->HasSeries(none), IsOkAndHolds(false));

  for (int i = 1; i < 63; ++i)  // the numbers of a block; fewer stay in memory
    Create({{"m", fmt::format("host=h{}", i), 1, 1}});
  ASSERT_OK(table_->WriteIndex());
  ASSERT_EQ(table_->not_indexed(), 0u);
  EXPECT_THAT(table_->HasSeries(metric), IsOkAndHolds(true)) << "in the table";
  EXPECT_THAT(table_->HasSeries(none), IsOkAndHolds(false));
  EXPECT_THAT(table_->HasSeries(metric + 1), IsOkAndHolds(false));
}

// Rows that are deleted without the table's knowledge show whether it reads them.
TEST_F(SeriesTableTest, RemembersThatAMetricHasSeriesUntilSeriesAreDropped) {
  std::vector<std::pair<SeriesNumber, std::string>> all;
  for (int i = 0; i < 63; ++i) {  // the numbers of a block; fewer stay in memory
    const SeriesRef series = *Create({{"m", fmt::format("host=h{}", i), 1, 1}})[0];
    all.emplace_back(series.number, series.tsuid);
  }
  const Uid metric = *uids_->Get(UidKind::kMetric, "m");
  ASSERT_OK(table_->WriteIndex());
  ASSERT_EQ(table_->not_indexed(), 0u);
  const SeriesTable::Parts followed = {
      .tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get(), .is_followed = true};
  const std::unique_ptr<SeriesTable> follower = *SeriesTable::Open(layout_, followed, false);
  ASSERT_THAT(table_->HasSeries(metric), IsOkAndHolds(true));
  ASSERT_THAT(follower->HasSeries(metric), IsOkAndHolds(true));
  ASSERT_OK(DropSeries(layout_, all, &tables_));

  EXPECT_THAT(table_->HasSeries(metric), IsOkAndHolds(true)) << "without a read";
  EXPECT_THAT(follower->HasSeries(metric), IsOkAndHolds(false)) << "others drop series, too";
  table_->dropping()->Finish(metric);
  EXPECT_THAT(table_->HasSeries(metric), IsOkAndHolds(false));
}

TEST_F(SeriesTableTest, VisitsAllMetricsUntilItIsEnded) {
  std::vector<OwnedPoint> points;
  for (int i = 0; i < 130; ++i)
    points.push_back({fmt::format("m{}", i % 3), fmt::format("h=h{}", i), 0, 0});
  Create(std::move(points));
  const auto visit = [this](size_t count) {
    std::vector<std::pair<std::string, SeriesNumber>> seen;
    EXPECT_OK(table_->Visit(std::nullopt, [&](SeriesNumber number, std::string_view tsuid) {
      seen.emplace_back(tsuid, number);
      return seen.size() < count;
    }));
    return seen;
  };
  const auto in_memory = visit(1000);
  EXPECT_THAT(in_memory, SizeIs(130));
  EXPECT_TRUE(std::ranges::is_sorted(in_memory));
  ASSERT_OK(table_->WriteIndex());
  ASSERT_LT(table_->not_indexed(), 130u);
  ASSERT_GT(table_->not_indexed(), 0u);
  EXPECT_EQ(visit(1000), in_memory);
  for (const size_t count : {size_t{1}, size_t{64}, size_t{129}})
    EXPECT_THAT(visit(count), SizeIs(count));
}

TEST_F(SeriesTableTest, FindsASeriesByItsTsuid) {
  const auto created = Create({{"m", "h=a", 0, 0}});
  EXPECT_THAT(table_->NumberOf(created[0]->tsuid), IsOkAndHolds(created[0]->number));
  EXPECT_THAT(table_->NumberOf(created[0]->tsuid + "x"), IsOkAndHolds(0u));
  EXPECT_THAT(table_->NumberOf(""), IsOkAndHolds(0u));
}

TEST_F(SeriesTableTest, AnswersAreTheSameBeforeAndAfterTheIndexIsWritten) {
  for (int i = 0; i < 200; ++i)
    Create({{"m", fmt::format("h=h{} dc=d{}", i, i % 3), 0, 0}});
  const Answers before = Ask();
  EXPECT_EQ(table_->not_indexed(), 200u);
  EXPECT_THAT(before.of_metric, SizeIs(200));
  EXPECT_THAT(before.with_tag, SizeIs(67));
  EXPECT_THAT(before.by_tsuid, SizeIs(200));

  ASSERT_OK(table_->WriteIndex());

  EXPECT_EQ(table_->not_indexed(), 200u - 191u) << "whole blocks of 64 numbers are written";
  EXPECT_EQ(Ask(), before);
  Reopen({});
  EXPECT_EQ(table_->not_indexed(), 200u - 191u) << "the rest is in log rows";
  EXPECT_EQ(Ask(), before);
  EXPECT_EQ(Create({{"m", "h=h5 dc=d2", 0, 0}})[0]->number, 6u) << "of the tables";
  EXPECT_EQ(Create({{"m", "h=h199 dc=d1", 0, 0}})[0]->number, 200u) << "of memory";

  for (int i = 200; i < 320; ++i)
    Create({{"m", fmt::format("h=h{} dc=d{}", i, i % 3), 0, 0}});
  const Answers more = Ask();
  EXPECT_THAT(more.by_tsuid, SizeIs(320));
  ASSERT_OK(table_->WriteIndex());
  Reopen({});
  EXPECT_EQ(Ask(), more);
}

TEST_F(SeriesTableTest, WithoutAnIndexAReopenFindsAllInLogRows) {
  for (int i = 0; i < 200; ++i)
    Create({{"m", fmt::format("h=h{} dc=d{}", i, i % 3), 0, 0}});
  const Answers before = Ask();

  Reopen({});

  EXPECT_EQ(table_->not_indexed(), 200u);
  EXPECT_EQ(Ask(), before);
}

TEST_F(SeriesTableTest, AnIndexThatCannotBeWrittenStaysInMemory) {
  for (int i = 0; i < 100; ++i)
    Create({{"m", fmt::format("h=h{} dc=d{}", i, i % 3), 0, 0}});
  const Answers before = Ask();

  tables_.FailApplies(1);
  EXPECT_THAT(table_->WriteIndex(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(Ask(), before);
  ASSERT_OK(table_->WriteIndex());

  EXPECT_EQ(Ask(), before);
  EXPECT_EQ(table_->not_indexed(), 100u - 63u);
}

TEST_F(SeriesTableTest, ALookupMissesNothingWhileTheIndexIsWritten) {
  constexpr int kSeries = 300;
  const auto rest = [] { std::this_thread::yield(); };
  std::atomic<int> created{0};
  std::thread creator([&] {
    for (int i = 0; i < kSeries; ++i) {
      Create({{"m", fmt::format("h=h{} dc=d0", i), 0, 0}});
      created = i + 1;
    }
  });
  std::thread indexer([&] {
    while (created < kSeries) {
      EXPECT_OK(table_->WriteIndex());
      rest();
    }
  });
  while (created == 0)
    rest();
  while (created < kSeries) {
    rest();
    const auto want = static_cast<size_t>(created);
    const Answers found = Ask();
    EXPECT_GE(found.of_metric.size(), want);
    EXPECT_GE(found.with_tag.size(), want);
    EXPECT_GE(found.by_tsuid.size(), want);
    if (HasFailure()) break;
  }
  creator.join();
  indexer.join();
  EXPECT_THAT(Ask().by_tsuid, SizeIs(kSeries));
}

// The journal's lanes are one after the other, so its definitions are in no order.
TEST_F(SeriesTableTest, RestoresSeriesInAnyOrder) {
  const TagView a{.key = "h", .value = "a"};
  const TagView b{.key = "h", .value = "b"};
  const TagUids a_uids{.tagk = 1, .tagv = 1};
  const TagUids b_uids{.tagk = 1, .tagv = 2};
  const auto define = [](SeriesNumber number, const TagView& tag, const TagUids& uids) {
    return SeriesDefinition{.number = number,
                            .metric_uid = 1,
                            .metric = "m",
                            .tags = std::span(&tag, 1),
                            .tag_uids = std::span(&uids, 1)};
  };
  const SeriesDefinition later[] = {define(3, b, b_uids)};
  const SeriesDefinition earlier[] = {define(1, a, a_uids), define(3, b, b_uids)};

  ASSERT_OK(table_->Restore(later));
  EXPECT_TRUE(table_->NeedsRestore(1));
  ASSERT_OK(table_->Restore(earlier));

  EXPECT_FALSE(table_->NeedsRestore(1));
  EXPECT_EQ(table_->last_number(), 3u);
  EXPECT_EQ(table_->created(), 2u);
  for (int life = 0; life < 2; ++life) {
    EXPECT_THAT(table_->OfMetric(1), IsOkAndHolds(ElementsAre(1u, 3u)));
    EXPECT_THAT(table_->WithTag(1, b_uids), IsOkAndHolds(ElementsAre(3u)));
    Reopen({});
  }
  EXPECT_EQ(Create({{"m", "h=c", 0, 0}})[0]->number, 4u);
}

TEST_F(SeriesTableTest, ANumberWithoutARowIsDataLoss) {
  Create({{"m", "h=a", 0, 0}});
  const std::vector<SeriesNumber> numbers = {1, 9};
  std::vector<std::string> tsuids;

  EXPECT_THAT(table_->TsuidsOf(numbers, &tsuids),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("series 9")));
  ASSERT_OK(table_->TsuidsFound(numbers, &tsuids));
  EXPECT_THAT(tsuids, ElementsAre(SizeIs(9), ""));
}

TEST_F(SeriesTableTest, ALogRowThatDoesNotDecodeIsDataLoss) {
  Create({{"m", "h=a", 0, 0}});
  std::string key = "b";
  AppendBigEndian(1, 8, &key);
  const Mutation damaged{TableId::kSeries, Mutation::Kind::kSet, key, std::string("\0\x09xyz", 5)};
  ASSERT_OK(tables_.Apply(std::span(&damaged, 1), false));

  const auto opened = SeriesTable::Open(
      layout_, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);

  EXPECT_THAT(opened.status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("log row 620000000000000001")));
}

// Its key has the numbers of its series.
TEST_F(SeriesTableTest, ALogRowOfNumbersThatWereNeverGivenIsDataLoss) {
  Create({{"m", "h=a", 0, 0}, {"m", "h=b", 0, 0}});
  const auto row = *tables_.Snapshot()->Get(TableId::kSeries, LogRowKey(1));
  ASSERT_TRUE(row.has_value());
  const auto open_with_row_at = [&](SeriesNumber number) {
    const std::vector<Mutation> moved = {
        {TableId::kSeries, Mutation::Kind::kDelete, LogRowKey(1), {}},
        SetSeries(LogRowKey(number), *row)};
    EXPECT_OK(tables_.Apply(moved, false));
    const auto opened = SeriesTable::Open(
        layout_, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);
    const Mutation undo{TableId::kSeries, Mutation::Kind::kDelete, LogRowKey(number), {}};
    EXPECT_OK(tables_.Apply({&undo, 1}, false));
    return opened.status();
  };

  EXPECT_OK(open_with_row_at(1));
  for (const SeriesNumber number :
       {SeriesNumber{0}, SeriesNumber{2}, SeriesNumber{1} << 63, ~SeriesNumber{0}}) {
    EXPECT_THAT(open_with_row_at(number),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected numbers from 1 to 2")))
        << number;
  }
}

TEST_F(SeriesTableTest, ANumberThatTwoLogRowsGiveIsDataLoss) {
  Create({{"m", "h=a", 0, 0}});
  Create({{"m", "h=b", 0, 0}});
  const auto first = *tables_.Snapshot()->Get(TableId::kSeries, LogRowKey(1));
  ASSERT_TRUE(first.has_value());
  std::string both = *first;
  AppendToTsuidList(EncodeTsuid(layout_, 1, std::vector<TagUids>{{1, 7}}), &both);
  const Mutation longer = SetSeries(LogRowKey(1), both);
  ASSERT_OK(tables_.Apply({&longer, 1}, false));

  const auto opened = SeriesTable::Open(
      layout_, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);

  EXPECT_THAT(opened.status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("series 2 is another one")));
}

TEST_F(SeriesTableTest, GoesOnNumberingAfterAReopen) {
  Create({{"m", "h=a", 0, 0}});

  Reopen({});

  EXPECT_EQ(Create({{"m", "h=b", 0, 0}})[0]->number, 2u);
  EXPECT_EQ(Create({{"m", "h=a", 0, 0}})[0]->number, 1u);
}

TEST_F(SeriesTableTest, ARefusedPointLeavesNothing) {
  const auto results =
      Create({{"bad name", "h=a", 0, 0}, {"m", "k!=v", 0, 0}, {"m", "h=ok", 0, 0}});

  EXPECT_EQ(results[0].error().text, "Invalid metric name (\"bad name\"): illegal character:  ");
  EXPECT_THAT(results[1].error().text, HasSubstr("Invalid tag name with value [v] (\"k!\")"));
  EXPECT_TRUE(results[2].ok());
  EXPECT_EQ(*uids_->Get(UidKind::kMetric, "m"), 1u);  // the numbers of the refused were used again
  EXPECT_EQ(*uids_->Get(UidKind::kTagk, "h"), 1u);
}

TEST_F(SeriesTableTest, UnknownNamesAreRefusedWhenTheyMayNotBeCreated) {
  Reopen({.auto_create_metrics = false});

  const auto results = Create({{"new", "h=a", 0, 0}});

  ASSERT_FALSE(results[0].ok());
  EXPECT_EQ(results[0].error().kind, PointErrorKind::kUnknownName);
  EXPECT_EQ(results[0].error().text, "No such name for 'metrics': 'new'");
}

// A query of a level names the metric of the points.
TEST_F(SeriesTableTest, ASeriesOfALevelGivesTheMetricOfThePointsAUid) {
  Create({{"_rollup/1h-sum/m", "h=a", 0, 0}});

  EXPECT_TRUE(uids_->Get(UidKind::kMetric, "m").ok());
  EXPECT_TRUE(uids_->Get(UidKind::kMetric, "_rollup/1h-sum/m").ok());
}

TEST_F(SeriesTableTest, ALevelMayBeCreatedIfTheMetricOfThePointsIsKnown) {
  Reopen({.auto_create_metrics = false});
  ASSERT_OK(uids_->GetOrAssign(UidKind::kMetric, "m"));

  const auto results =
      Create({{"_rollup/1h-sum/m", "h=a", 0, 0}, {"_rollup/1h-sum/other", "h=a", 0, 0}});

  EXPECT_TRUE(results[0].ok());
  ASSERT_FALSE(results[1].ok());
  EXPECT_EQ(results[1].error().text, "No such name for 'metrics': 'other'");
}

TEST_F(SeriesTableTest, AFailedCommitCreatesNothing) {
  tables_.FailApplies(1);
  const auto failed = Create({{"m", "h=a", 0, 0}});
  const auto created = Create({{"m", "h=b", 0, 0}});

  EXPECT_EQ(failed[0].error().kind, PointErrorKind::kThrottled);
  EXPECT_EQ(created[0]->number, 1u);
  EXPECT_THAT(uids_->Find(UidKind::kTagv, "a"), IsOkAndHolds(std::nullopt));
}

TEST_F(SeriesTableTest, VersionsAreOfOneMetric) {
  Create({{"m", "h=a", 0, 0}, {"n", "h=a", 0, 0}});
  Reopen({});
  const Uid m = *uids_->Get(UidKind::kMetric, "m");
  const Uid n = *uids_->Get(UidKind::kMetric, "n");
  EXPECT_EQ(table_->VersionOf(m), 2u) << "all at open";
  Create({{"n", "h=b", 0, 0}, {"n", "h=c", 0, 0}});
  EXPECT_EQ(table_->VersionOf(m), 2u);
  EXPECT_EQ(table_->VersionOf(n), 4u);
}

TEST_F(SeriesTableTest, VisitsTheNewerOnes) {
  for (int i = 0; i < 150; ++i)
    Create({{i % 2 == 0 ? "m" : "n", fmt::format("h=h{}", i), 0, 0}});
  const Uid metric = *uids_->Get(UidKind::kMetric, "m");
  const auto newer = [&](SeriesNumber above) {
    std::vector<SeriesNumber> numbers;
    EXPECT_OK(table_->VisitNewer(metric, above, [&](SeriesNumber number, std::string_view tsuid) {
      EXPECT_THAT(table_->NumberOf(std::string(tsuid)), IsOkAndHolds(number));
      numbers.push_back(number);
    }));
    std::ranges::sort(numbers);
    return numbers;
  };
  const auto check = [&] {
    EXPECT_THAT(newer(0), SizeIs(75));
    EXPECT_THAT(newer(100), SizeIs(25));
    EXPECT_THAT(newer(147), ElementsAre(149u));
    EXPECT_THAT(newer(149), SizeIs(0));
  };
  check();
  ASSERT_OK(table_->WriteIndex());
  ASSERT_EQ(table_->not_indexed(), 150u - 127u);
  check();
}

// A store that stops in the middle of a creation until the test continues it.
class CreationTest : public SeriesTableTest {
 protected:
  // Calls `meanwhile` while another thread is creating a series.
  template <typename Work>
  void WhileOneIsCreated(const Work& meanwhile) {
    std::promise<void> begun;
    std::promise<void> go_on;
    tables_.OnApply([&, is_first = true]() mutable {
      if (!std::exchange(is_first, false)) return;
      begun.set_value();
      go_on.get_future().wait();
    });
    std::thread creator([this] { EXPECT_TRUE(Create({{"m", "h=slow", 0, 0}})[0].ok()); });
    begun.get_future().wait();
    meanwhile();
    go_on.set_value();
    creator.join();
    tables_.OnApply({});
  }

  Parsed<SeriesRef> CreateAtOnce(const std::string& tags) {
    OwnedPoint point("m", tags, 0, 0);
    const PointView* const view = &point.view();
    std::vector<Parsed<SeriesRef>> results;
    table_->GetOrCreate({&view, 1}, &results, /*wait_ms=*/0);
    return results[0];
  }

  // The tags of the i-th of very many series.
  static std::string TagsOf(int i) {
    return fmt::format("a=a{} b=b{} c=c{} d=d{}", i % 10, i / 10 % 10, i / 100 % 100, i / 10000);
  }

  // Creates the series from `first` on, and returns how many were refused.
  size_t CreateMany(int first, int count) {
    std::vector<OwnedPoint> points;
    for (int i = first; i < first + count; ++i)
      points.push_back({"m", TagsOf(i), 0, 0});
    std::vector<const PointView*> views;
    for (OwnedPoint& point : points)
      views.push_back(&point.view());
    std::vector<Parsed<SeriesRef>> results;
    table_->GetOrCreate(views, &results, /*wait_ms=*/0);
    return static_cast<size_t>(
        std::ranges::count_if(results, [](const auto& result) { return !result.ok(); }));
  }
};

TEST_F(CreationTest, KnownSeriesDoNotWaitForNewOnes) {
  Create({{"m", "h=known", 0, 0}});
  WhileOneIsCreated([this] { EXPECT_EQ(CreateAtOnce("h=known")->number, 1u); });
}

TEST_F(CreationTest, WhoMayNotWaitIsToldToComeAgain) {
  Create({{"m", "h=known", 0, 0}});
  WhileOneIsCreated([this] {
    const Parsed<SeriesRef> refused = CreateAtOnce("h=new");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, PointErrorKind::kThrottled);
    EXPECT_THAT(refused.error().text, HasSubstr("others are being created"));
  });
  EXPECT_EQ(CreateAtOnce("h=new")->number, 3u);
}

TEST_F(CreationTest, ATableThatLagsHoldsUpNewSeriesOnly) {
  Create({{"m", "h=known", 0, 0}});
  for (const TableId table : {TableId::kUid, TableId::kSeries}) {
    tables_.SetLagging(table);
    EXPECT_EQ(CreateAtOnce("h=known")->number, 1u);
    const Parsed<SeriesRef> refused = CreateAtOnce("h=new");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, PointErrorKind::kThrottled);
    EXPECT_THAT(refused.error().text,
                HasSubstr(std::string("table ") + std::string(TableName(table))));
  }
  tables_.SetLagging(std::nullopt);
  EXPECT_EQ(CreateAtOnce("h=new")->number, 2u);
}

// The tables took rows when the turn came, and none when the group was ready.
TEST_F(CreationTest, LagThatBeginsInATurnIsWaitedOut) {
  Create({{"m", "h=known", 0, 0}});
  tables_.LagAtOnce(3);

  const auto created = Create({{"m", "h=new", 0, 0}, {"m2", "h=new", 0, 0}, {"m", "h=new", 1, 0}});
  EXPECT_EQ(created[0]->number, 2u);
  EXPECT_EQ(created[1]->number, 3u);
  EXPECT_EQ(created[2]->number, 2u);

  tables_.LagAtOnce(1);
  const Parsed<SeriesRef> refused = CreateAtOnce("h=newer");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, PointErrorKind::kThrottled);
  EXPECT_EQ(CreateAtOnce("h=newer")->number, 4u);
}

// 2 * 65,536 series may wait for their rows while another thread writes those.
TEST_F(CreationTest, WhoCreatesSeriesDoesNotWriteTheirIndex) {
  if (kIsSanitized) GTEST_SKIP() << "130,000 series, by one thread";
  int wakes = 0;
  table_->SetIndexer([&wakes] { ++wakes; });
  Create({{"m", TagsOf(0), 0, 0}});
  int next = 1;
  size_t refused = 0;
  for (; refused == 0 && next < 200'000; next += 4096)
    refused = CreateMany(next, 4096);
  EXPECT_EQ(refused, 4096u);
  EXPECT_GE(table_->not_indexed(), 2u * 65536);
  EXPECT_LT(table_->not_indexed(), 2u * 65536 + 4096);
  EXPECT_GE(wakes, 16);
  EXPECT_EQ(CreateAtOnce(TagsOf(0))->number, 1u) << "it is known";

  EXPECT_TRUE(table_->WantsIndex());
  ASSERT_OK(table_->WriteIndex());
  EXPECT_FALSE(table_->WantsIndex());
  EXPECT_TRUE(CreateAtOnce(TagsOf(next)).ok());
}

// Their rows took most of the time to open a killed store with many new series.
TEST_F(CreationTest, AnOpenLeavesIndexRowsToTheIndexer) {
  if (kIsSanitized) GTEST_SKIP() << "70,000 series, by one thread";
  table_->SetIndexer([] {});
  for (int next = 0; !table_->WantsIndex(); next += 4096)
    ASSERT_EQ(CreateMany(next, 4096), 0u);
  const size_t waiting = table_->not_indexed();

  Reopen({});

  EXPECT_EQ(table_->not_indexed(), waiting);
  EXPECT_TRUE(table_->WantsIndex()) << "the indexer's next round writes them";
  EXPECT_EQ(CreateAtOnce(TagsOf(1))->number, 2u) << "it is known";
  EXPECT_TRUE(CreateAtOnce("h=new").ok());
  EXPECT_LE(table_->not_indexed(), 64u) << "without an indexer, a creation writes them first";
}

TEST_F(SeriesTableTest, ConcurrentCreationsOfOneSeriesAgree) {
  std::vector<std::vector<Parsed<SeriesRef>>> results(4);
  std::vector<std::thread> threads;
  for (auto& mine : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        mine.push_back(Create({{"m", "h=" + std::to_string(i), 0, 0}})[0]);
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();

  size_t created = 0;
  for (const auto& mine : results) {
    for (size_t i = 0; i < mine.size(); ++i) {
      EXPECT_EQ(mine[i]->number, results[0][i]->number);
      EXPECT_EQ(mine[i]->tsuid, results[0][i]->tsuid);
      if (mine[i]->is_new) ++created;
    }
  }
  EXPECT_EQ(created, 50u) << "one creator of each series";
  EXPECT_EQ(table_->created(), 50u);
}

}  // namespace
}  // namespace hourcell::series_table_test
