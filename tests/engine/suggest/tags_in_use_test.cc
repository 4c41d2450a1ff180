#include "engine/suggest/tags_in_use.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/series/series_drop.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::tags_in_use_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::SizeIs;

// Each look at the clock takes some time.
class SlowClock : public MonotonicClock {
 public:
  int64_t MonotonicMs() override { return now_ms += step_ms; }
  int64_t now_ms = 0;
  int64_t step_ms = 0;
};

// The store has 63 series with index rows: "m host=a dc=x", "m host=b dc=x", and of metric "rest"
// those with host=r2 to host=r62.
class TagsInUseTest : public testing::Test {
 protected:
  TagsInUseTest() {
    uids_ = *UidDirectory::Open({.layout = layout_}, &uid_store_);
    table_ = *SeriesTable::Open(
        layout_, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);
    tags_ = std::make_unique<TagsInUse>(layout_, table_.get(), &clock_);
  }

  void SetUp() override {
    a_ = Create("m", "host=a dc=x");
    b_ = Create("m", "host=b dc=x");
    for (int i = 2; i <= 62; ++i)
      Create("rest", fmt::format("host=r{}", i));
    ASSERT_OK(table_->WriteIndex());
    ASSERT_EQ(table_->not_indexed(), 0u);
  }

  SeriesRef Create(const std::string& metric, const std::string& tags) {
    OwnedPoint point(metric, tags, 1356998400, 1);
    const PointView* view = &point.view();
    std::vector<Parsed<SeriesRef>> results;
    table_->GetOrCreate({&view, 1}, &results);
    return *results[0];
  }

  // As SeriesDropper does.
  void Drop(const SeriesRef& series) {
    DroppingSeries& dropping = *table_->dropping();
    dropping.Announce({&series.number, 1});
    ASSERT_THAT(dropping.Take({&series.number, 1}), ElementsAre(series.number));
    const std::pair one(series.number, series.tsuid);
    ASSERT_OK(DropSeries(layout_, {&one, 1}, &tables_));
    dropping.Finish(series.metric);
  }

  void Refresh() {
    const QueryControl control;
    ASSERT_OK(tags_->Refresh(QueryWatch(&clock_, &control, 0, 0)));
  }

  // The names of a kind that are in use.
  std::vector<std::string> InUse(UidKind kind) {
    std::vector<std::string> names;
    EXPECT_OK(uids_->VisitMappings(kind, "", [&](const UidMapping& mapping) {
      if (tags_->Has(kind, mapping.uid)) names.emplace_back(mapping.name);
      return true;
    }));
    return names;
  }

  const Layout layout_;
  SlowClock clock_;
  MemTableStore tables_;
  TableUidStore uid_store_{layout_, &tables_};
  std::unique_ptr<UidDirectory> uids_;
  std::unique_ptr<SeriesTable> table_;
  std::unique_ptr<TagsInUse> tags_;
  SeriesRef a_;
  SeriesRef b_;
};

TEST_F(TagsInUseTest, ATagIsInUseFromItsFirstSeriesToItsLast) {
  ASSERT_OK(uids_->GetOrAssign(UidKind::kTagv, "unused"));
  EXPECT_THAT(InUse(UidKind::kTagv), SizeIs(0)) << "before the first call";
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagk), ElementsAre("dc", "host"));
  EXPECT_THAT(InUse(UidKind::kTagv), SizeIs(64));
  EXPECT_THAT(InUse(UidKind::kTagv), Not(Contains("unused")));

  Create("m", "host=unused shelf=3");
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagk), ElementsAre("dc", "host", "shelf"));
  EXPECT_THAT(InUse(UidKind::kTagv), Contains("unused"));

  Drop(a_);
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagv), Not(Contains("a")));
  EXPECT_THAT(InUse(UidKind::kTagv), Contains("x")) << "another series has it";
  EXPECT_THAT(InUse(UidKind::kTagv), Contains("unused"));
  Drop(b_);
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagk), ElementsAre("host", "shelf"));

  Create("m", "host=a dc=x");
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagk), ElementsAre("dc", "host", "shelf"));
  EXPECT_THAT(InUse(UidKind::kTagv), Contains("a"));
}

TEST_F(TagsInUseTest, TagsOfUnlistedSeriesAreNotInUse) {
  UnlistedSeries& unlisted = *table_->unlisted();
  const auto leave = [&unlisted](const SeriesRef& series) {
    unlisted.Announce({&series.number, 1});
    unlisted.Leave({&series.metric, 1}, {&series.number, 1});
  };
  leave(a_);
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagv), Not(Contains("a"))) << "at the first visit";
  EXPECT_THAT(InUse(UidKind::kTagv), Contains("x"));
  leave(b_);
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagk), ElementsAre("host"));

  clock_.step_ms = 10;  // no time for another visit
  Drop(Create("m", "host=other dc=x"));
  Refresh();
  const uint64_t before = tables_.rows_read();
  unlisted.Show({&a_.number, 1});
  Refresh();
  EXPECT_LE(tables_.rows_read(), before + 1) << "of the series that is listed again";
  EXPECT_THAT(InUse(UidKind::kTagv), Contains("a"));
  EXPECT_THAT(InUse(UidKind::kTagv), Not(Contains("b")));
  unlisted.Show({&b_.number, 1});
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagv), Contains("b"));
}

TEST_F(TagsInUseTest, ALaterCallReadsOnlyNewSeries) {
  Refresh();
  const uint64_t before = tables_.rows_read();
  Refresh();
  EXPECT_EQ(tables_.rows_read(), before);
  Create("m", "host=c dc=x");
  const uint64_t created = tables_.rows_read();
  Refresh();
  EXPECT_EQ(tables_.rows_read(), created) << "it is in memory";
  EXPECT_THAT(InUse(UidKind::kTagv), Contains("c"));
}

TEST_F(TagsInUseTest, VisitsTakeATwentiethOfTheTimeAtMost) {
  clock_.step_ms = 10;  // a visit looks at the clock at its begin and at its end
  Refresh();
  Drop(a_);
  clock_.step_ms = 0;
  clock_.now_ms += 199;
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagv), Contains("a"));
  Create("m", "host=c dc=x");
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagv), Contains("c")) << "new tags do not wait";
  clock_.now_ms += 1;
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagv), Not(Contains("a")));
}

TEST_F(TagsInUseTest, ACancelledVisitLeavesTheLastState) {
  QueryControl control;
  control.Cancel();
  EXPECT_THAT(tags_->Refresh(QueryWatch(&clock_, &control, 0, 0)),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(InUse(UidKind::kTagv), SizeIs(0));
  Refresh();
  Drop(a_);
  EXPECT_THAT(tags_->Refresh(QueryWatch(&clock_, &control, 0, 0)),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(InUse(UidKind::kTagv), SizeIs(64));
}

TEST_F(TagsInUseTest, ClearMakesTheNextCallVisitAll) {
  Refresh();
  tags_->Clear();
  EXPECT_THAT(InUse(UidKind::kTagv), SizeIs(0));
  Refresh();
  EXPECT_THAT(InUse(UidKind::kTagv), SizeIs(64));
}

}  // namespace
}  // namespace hourcell::tags_in_use_test
