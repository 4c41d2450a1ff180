#include "engine/series_table.h"

#include <thread>

#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell {
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
  EXPECT_EQ(*created[2], *created[0]);
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
  const auto view = tables_.Snapshot();
  const Uid metric = *uids_->Get(UidKind::kMetric, "m");
  const TagUids dc_x = {.tagk = *uids_->Get(UidKind::kTagk, "dc"),
                        .tagv = *uids_->Get(UidKind::kTagv, "x")};
  const TagUids host_b = {.tagk = *uids_->Get(UidKind::kTagk, "h"),
                          .tagv = *uids_->Get(UidKind::kTagv, "b")};

  EXPECT_THAT(table_->OfMetric(view.get(), metric), IsOkAndHolds(ElementsAre(1u, 2u)));
  EXPECT_THAT(table_->WithTag(view.get(), metric, dc_x), IsOkAndHolds(ElementsAre(1u, 2u)));
  EXPECT_THAT(table_->WithTag(view.get(), metric, host_b), IsOkAndHolds(ElementsAre(2u)));
}

TEST_F(SeriesTableTest, GoesOnNumberingAfterAReopen) {
  Create({{"m", "h=a", 0, 0}});

  Reopen({});

  EXPECT_EQ(Create({{"m", "h=b", 0, 0}})[0]->number, 2u);
  EXPECT_EQ(Create({{"m", "h=a", 0, 0}})[0]->number, 1u);
}

TEST_F(SeriesTableTest, ARefusedPointLeavesNothingBehind) {
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

TEST_F(SeriesTableTest, AFailedCommitCreatesNothing) {
  tables_.FailApplies(1);
  const auto failed = Create({{"m", "h=a", 0, 0}});
  const auto created = Create({{"m", "h=b", 0, 0}});

  EXPECT_EQ(failed[0].error().kind, PointErrorKind::kThrottled);
  EXPECT_EQ(created[0]->number, 1u);
  EXPECT_THAT(uids_->Find(UidKind::kTagv, "a"), IsOkAndHolds(std::nullopt));
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

  for (const auto& mine : results) {
    for (size_t i = 0; i < mine.size(); ++i)
      EXPECT_EQ(*mine[i], *results[0][i]);
  }
  EXPECT_EQ(table_->created(), 50u);
}

}  // namespace
}  // namespace hourcell
