#include "engine/deletion/series_dropper.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rocksdb/env.h>

#include "codec/base/clock.h"
#include "engine/fsck.h"
#include "engine/fsck_admin.h"
#include "engine/query.h"
#include "engine/query/result_collector.h"
#include "engine/store_observer.h"
#include "engine/tsdb.h"
#include "tests/engine/backup/backup_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"
#include "tests/support/sanitizers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::series_dropper_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kHourMs = int64_t{3600} * 1000;
constexpr int64_t kDayMs = 24 * kHourMs;

// Does something while a put is under way.
class Meddler : public StoreObserver {
 public:
  absl::Status BeforePut(const PutBatch& /*batch*/) override {
    if (meddle) std::exchange(meddle, nullptr)();
    return absl::OkStatus();
  }
  std::function<void()> meddle;
};

// An open store in which 128 series have had one point, which has expired and left the disk; ten
// series, i0 to i9, got one more that has not. The last series lacks index rows yet: there are 117
// to be dropped.
class SeriesDropperTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.ttl_s = 86400;
    options_.observers = {&meddler_};
    tsdb_ = OpenTiny(options_);
    PutManySeries(tsdb_.get());
    clock_.Advance(30 * kDayMs);
    for (int i = 0; i < 10; ++i)
      Put(i);
  }

  // The work of the background as hours end and files are merged.
  void SealAndMerge() {
    ASSERT_OK(tsdb_->maintenance().Flush());
    ASSERT_OK(tsdb_->maintenance().Compact());
  }

  void Put(int i, int64_t value = 1) {
    OwnedPoint point("many", fmt::format("id=i{}", i), clock_.NowMs() / 1000, value);
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }

  uint64_t Found(const std::string& id = "") {
    LookupQuery query;
    query.metric = "many";
    if (!id.empty()) query.tags.push_back({"id", id});
    const auto found =
        tsdb_->queries().LookupSeries(query, [](const FoundSeries&) { return true; });
    EXPECT_OK(found);
    return found.value_or(0);
  }

  // Series and sum of all points of now.
  std::pair<uint64_t, double> Sum() {
    QueryControl control;
    QueryResult result;
    ResultCollector collector(&result);
    const int64_t now_s = clock_.NowMs() / 1000;
    EXPECT_OK(tsdb_->queries().Query(MakeQuery(Aggregator::kSum, "many", {}, now_s, now_s + 1),
                                     &collector, &control));
    double sum = 0;
    for (const ResultSeries& series : result.series)
      for (const ResultPoint& point : series.points)
        sum += point.value.ToDouble();
    return {control.plans().empty() ? 0 : control.plans()[0].series, sum};
  }

  int64_t Dropped() {
    for (const StatSample& sample : tsdb_->stats().Snapshot())
      if (sample.name == "series.dropped") return sample.value;
    return -1;
  }

  void ExpectNoFaults() {
    const auto running = tsdb_->maintenance().fsck()->Check({});
    ASSERT_OK(running);
    EXPECT_THAT(running->counts, IsEmpty());
    ASSERT_OK(tsdb_->Close());
    const auto closed = RunFsck(options_, {});
    ASSERT_OK(closed);
    EXPECT_THAT(closed->counts, IsEmpty());
    EXPECT_EQ(closed->dropped, 0u);
    tsdb_ = OpenTiny(options_);
  }

  TempDir dir_;
  ManualClock clock_{(kBackupHour + 60) * 1000};
  Meddler meddler_;
  Options options_ = TinyOptions(dir_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(SeriesDropperTest, ARunningStoreDropsWhatHasExpiredAltogether) {
  SealAndMerge();
  EXPECT_EQ(Found(), 128u);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 117);
  EXPECT_EQ(Found(), 11u);
  EXPECT_EQ(Found("i3"), 1u);
  EXPECT_EQ(Found("i70"), 0u);
  EXPECT_OK(tsdb_->names().FindUid(UidKind::kTagv, "i70")) << "names stay";
  EXPECT_EQ(Sum().second, 10);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 117) << "each once";
  ExpectNoFaults();
  EXPECT_EQ(Found(), 11u);
}

TEST_F(SeriesDropperTest, APutMakesItAnewAndNobodySeesTheOldOne) {
  SealAndMerge();
  EXPECT_EQ(Sum(), std::pair(uint64_t{128}, 10.0)) << "in the cache of the metric's series";
  ASSERT_OK(tsdb_->retention().DropExpired());
  Put(70, 100);
  EXPECT_EQ(Found("i70"), 1u);
  EXPECT_EQ(Sum(), std::pair(uint64_t{12}, 110.0));
  const auto before = Dump(tsdb_.get());
  EXPECT_THAT(before, HasSubstr("id=i70"));
  ExpectNoFaults();
  EXPECT_EQ(Dump(tsdb_.get()), before);
  EXPECT_EQ(Found(), 12u);
}

// Its rows come back to sight if the TTL is raised; a series without a number would be a fault.
TEST_F(SeriesDropperTest, WhatHasAnExpiredRowOnDiskStays) {
  SealAndMerge();
  clock_.Advance(22 * kHourMs);
  for (int i = 10; i < 20; ++i)
    Put(i);
  ASSERT_OK(tsdb_->maintenance().Seal());
  // Too little of their file has expired for a rewrite, although their day has expired.
  clock_.Advance(10 * kHourMs);
  for (int hour = 0; hour < 20; ++hour) {
    for (int i = 0; i < 10; ++i)
      Put(i);
    clock_.Advance(kHourMs);
  }
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 107);
  EXPECT_EQ(Found("i10"), 1u);
  EXPECT_EQ(Found("i70"), 0u);
  ExpectNoFaults();

  ASSERT_OK(tsdb_->maintenance().Compact());
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 10) << "since it was opened again";
  EXPECT_EQ(Found("i10"), 0u);
}

TEST_F(SeriesDropperTest, SeriesThatExpiredBeforeTheStoreWasOpenedAreFoundToo) {
  options_.drop_empty_series = false;
  ASSERT_OK(tsdb_->Close());
  tsdb_ = OpenTiny(options_);
  SealAndMerge();
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Found(), 128u) << "the setting says no";
  ASSERT_OK(tsdb_->Close());
  options_.drop_empty_series = true;
  tsdb_ = OpenTiny(options_);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 117);
}

TEST_F(SeriesDropperTest, APutThatIsUnderWayKeepsItsSeries) {
  SealAndMerge();
  // i70 is known by its spelling, i71 is looked up in the tables, and i72 is new to this put.
  int64_t dropped_meanwhile = -1;
  meddler_.meddle = [&] {
    ASSERT_OK(tsdb_->retention().DropExpired());
    dropped_meanwhile = Dropped();
  };
  Put(70, 100);
  EXPECT_EQ(dropped_meanwhile, 0) << "a put was under way";
  Put(71, 1000);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 0) << "the journal may have points of them";
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 115);
  EXPECT_EQ(Sum(), std::pair(uint64_t{13}, 1110.0));
  ExpectNoFaults();
}

// A put between announcement and drop looks its series up, and takes it off the list.
TEST_F(SeriesDropperTest, APutBeforeTheJournalIsPastKeepsItsSeries) {
  SealAndMerge();
  Put(0);  // holds up the low mark
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 0);
  Put(70, 100);
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 116);
  EXPECT_EQ(Sum(), std::pair(uint64_t{12}, 110.0));
  ExpectNoFaults();
}

// A killed store replays blocks from the low mark on: none may have a point of one that is gone.
TEST_F(SeriesDropperTest, ASeriesOfTheJournalStaysUntilTheLowMarkIsPastIt) {
  SealAndMerge();
  // An hour of the future is open as long as it gets points, and needs the first block.
  const int64_t future_s = clock_.NowMs() / 1000 + 30 * 86400;
  const auto put_future = [&] {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint("many", "id=i0", future_s, 5).view()));
  };
  put_future();
  Put(70);
  clock_.Advance(2 * kDayMs);
  put_future();
  ASSERT_OK(tsdb_->maintenance().SealDue());  // all but that one; they have expired
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 0);

  const TempDir killed;
  Options copied = options_;
  copied.observers = {};
  copied.path = CopyStore(options_.path, killed);
  const std::unique_ptr<Tsdb> copy = OpenTiny(copied);
  ASSERT_OK(copy->Close());
  const auto checked = RunFsck(copied, {});
  ASSERT_OK(checked);
  EXPECT_THAT(checked->counts, IsEmpty()) << "nothing is set aside";

  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 126);
  EXPECT_EQ(Found("i0"), 1u);
  EXPECT_EQ(Found("i70"), 0u);
}

TEST_F(SeriesDropperTest, WhatHasAnAnnotationStays) {
  const auto uid = tsdb_->names().FindUid(UidKind::kTagv, "i70");
  ASSERT_OK(uid);
  AnnotationEdit edit{.tsuid = "000001000001" + ToUpperHex(uid->uid_bytes),
                      .start_time = clock_.NowMs() / 1000};
  edit.description = "kept";
  ASSERT_OK(tsdb_->annotations().Put({&edit, 1}, AnnotationWrite::kMerge));
  SealAndMerge();
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 116);
  EXPECT_EQ(Found("i70"), 1u);
}

// The journal may be ahead of the tables then, and define a dropped series under another number.
TEST_F(SeriesDropperTest, APowerFailureBringsNoneBack) {
  if (kIsThreadSanitized) GTEST_SKIP() << "it does not see the locking of an Env's mutexes";
  ASSERT_OK(tsdb_->Close());
  const auto fs = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env = NewRestlessEnv(fs);
  options_.env = env.get();
  options_.sync = Durability::kNever;
  tsdb_ = OpenTiny(options_);
  SealAndMerge();
  ASSERT_OK(tsdb_->retention().DropExpired());
  ASSERT_EQ(Dropped(), 117);
  fs->FailOn({.nth = 1, .is_lasting = true});
  tsdb_.reset();
  fs->LoseUnsynced(7, FaultFs::Loss::kEnds);
  fs->Heal();
  tsdb_ = OpenTiny(options_);
  EXPECT_EQ(Found(), 11u);
  Put(70, 100);
  EXPECT_EQ(Sum(), std::pair(uint64_t{12}, 110.0));
  ExpectNoFaults();
  tsdb_.reset();  // before its Env
}

// Puts, queries and drops at once: no point is lost, none is counted twice.
TEST_F(SeriesDropperTest, PutsGoOnMeanwhile) {
  SealAndMerge();
  constexpr int kFirst = 10;
  constexpr int kLast = 127;
  std::atomic<bool> is_done{false};
  std::atomic<int> next{kFirst};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = next++; i <= kLast; i = next++)
        Put(i);
    });
  }
  threads.emplace_back([&] {
    double before = 0;
    while (!is_done) {
      const double sum = Sum().second;
      EXPECT_GE(sum, before);
      before = sum;
    }
  });
  while (next <= kLast) {
    ASSERT_OK(tsdb_->retention().DropExpired());
    ASSERT_OK(tsdb_->maintenance().Flush());
  }
  threads[0].join();
  threads[1].join();
  is_done = true;
  threads[2].join();
  EXPECT_EQ(Sum(), std::pair(uint64_t{128}, 128.0));
  ASSERT_OK(tsdb_->retention().DropExpired());
  ExpectNoFaults();
  EXPECT_EQ(Sum(), std::pair(uint64_t{128}, 128.0));
}

}  // namespace
}  // namespace hourcell::series_dropper_test
