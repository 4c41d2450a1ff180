#include "engine/store_observer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "engine/region_admin.h"
#include "engine/regions/live/region_maintenance.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::store_observer_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kHour = 1356998400;

// Records its calls as text, and refuses those that the test selects.
class Recorder : public StoreObserver {
 public:
  absl::Status BeforePut(const PutBatch& batch) override {
    MutexLock lock(&mutex_);
    std::string text = fmt::format("before {}:", batch.number);
    for (const PointView& point : batch.points) {
      text += fmt::format(" {}", point.metric);
      for (const TagView& tag : point.tags)
        text += fmt::format(" {}={}", tag.key, tag.value);
      text += fmt::format(" {} {}", point.timestamp.ms / 1000, point.value.ToDouble());
      if (point.metric == refused_metric) return absl::PermissionDeniedError("no such points here");
    }
    puts_.push_back(std::move(text));
    return absl::OkStatus();
  }
  void AfterNewSeries(std::span<const CreatedSeries> series) override {
    if (after_new_series) after_new_series();
    MutexLock lock(&mutex_);
    std::string text;
    for (const CreatedSeries& one : series) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", one.number, one.metric);
      for (const TagView& tag : one.tags)
        text += fmt::format(" {}={}", tag.key, tag.value);
      text += fmt::format(" {}", one.tsuid.size());
    }
    new_series_.push_back(std::move(text));
  }
  void BeforeStore(const PutBatch& batch) override {
    if (before_store) before_store();
    MutexLock lock(&mutex_);
    std::string text = fmt::format("{}:", batch.number);
    for (const PointView& point : batch.points)
      text += fmt::format(" {}={}", point.metric, point.value.ToDouble());
    stores_.push_back(std::move(text));
  }
  void AfterPut(uint64_t batch, size_t points) override {
    {
      MutexLock lock(&mutex_);
      puts_.push_back(fmt::format("after {}: {}", batch, points));
    }
    if (after_put) std::exchange(after_put, nullptr)();
  }
  void AfterSeal(const SealedHour& hour) override {
    CellColumns columns;
    EXPECT_OK(DecodeCell(hour.cell, &columns));
    EXPECT_EQ(columns.size(), hour.times.size());
    MutexLock lock(&mutex_);
    std::string text = fmt::format("{} {}:", hour.tsuid.size(), hour.base_time_s - kHour);
    for (size_t i = 0; i < hour.times.size(); ++i)
      text += fmt::format(" {}={}", hour.times[i].ms / 1000 - kHour, hour.values[i].ToDouble());
    seals_.push_back(std::move(text));
  }
  void AfterFlush(const FlushedRegion& region) override {
    MutexLock lock(&mutex_);
    flushes_.emplace_back(std::string(region.table), region.rows);
  }
  absl::Status BeforeRegionChange(const RegionChange& change) override {
    MutexLock lock(&mutex_);
    changes_.push_back("before " + TextOf(change));
    return change_answer;
  }
  void AfterRegionChange(const RegionChange& change) override {
    MutexLock lock(&mutex_);
    changes_.push_back("after " + TextOf(change));
  }

  std::vector<std::string> puts() { return Copy(puts_); }
  std::vector<std::string> new_series() { return Copy(new_series_); }
  std::vector<std::string> stores() { return Copy(stores_); }
  std::vector<std::string> seals() { return Copy(seals_); }
  std::vector<std::string> changes() { return Copy(changes_); }
  std::vector<std::pair<std::string, uint64_t>> flushes() { return Copy(flushes_); }

  std::string refused_metric = {};
  absl::Status change_answer = {};
  std::function<void()> after_new_series = {};
  std::function<void()> before_store = {};
  std::function<void()> after_put = {};

 private:
  static std::string TextOf(const RegionChange& change) {
    constexpr const char* kKinds[] = {"split", "merge", "presplit"};
    std::string text =
        fmt::format("{} {}:", kKinds[static_cast<size_t>(change.kind)], change.table);
    for (const ObservedRegion& region : change.parents)
      text += fmt::format(" [{},{})", region.start, region.end);
    text += " to";
    for (const ObservedRegion& region : change.daughters)
      text += fmt::format(" [{},{})", region.start, region.end);
    return text;
  }
  template <typename T>
  std::vector<T> Copy(const std::vector<T>& items) {
    MutexLock lock(&mutex_);
    return items;
  }

  Mutex mutex_;
  std::vector<std::string> puts_;
  std::vector<std::string> new_series_;
  std::vector<std::string> stores_;
  std::vector<std::string> seals_;
  std::vector<std::string> changes_;
  std::vector<std::pair<std::string, uint64_t>> flushes_;
};

class StoreObserverTest : public testing::Test {
 protected:
  StoreObserverTest() {
    options_.observers = {&recorder_, &second_};
    options_.seal_in_background = false;
  }

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  CommitTicket Append(std::vector<OwnedPoint> points, std::vector<RefusedPoint>* refused) {
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    return tsdb_->points().Append(views, refused);
  }
  void Put(const std::string& metric, int64_t second, int64_t value) {
    OwnedPoint point(metric, "host=a", kHour + second, value);
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }

  TempDir directory_;
  Options options_ = TinyOptions(directory_.file("store"));
  Recorder recorder_;
  Recorder second_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(StoreObserverTest, ANullObserverIsRefused) {
  options_.observers.push_back(nullptr);
  EXPECT_THAT(Tsdb::Open(options_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got null at 2")));
}

TEST_F(StoreObserverTest, HearsOfABatchBeforeAndAfter) {
  Open();
  std::vector<RefusedPoint> refused;
  std::vector<OwnedPoint> points;
  points.emplace_back("m", "host=a dc=x", kHour, 1);
  points.emplace_back("m", "host=a", Timestamp{.ms = -1}, Value::Integer(2));
  points.emplace_back("n", "host=b", kHour + 10, 3);

  ASSERT_OK(Append(std::move(points), &refused).Wait());

  const std::string before =
      fmt::format("before 1: m host=a dc=x {} 1 n host=b {} 3", kHour, kHour + 10);
  EXPECT_THAT(refused, SizeIs(1));
  EXPECT_THAT(recorder_.puts(), ElementsAre(before, "after 1: 2"));
  EXPECT_EQ(second_.puts(), recorder_.puts());
}

TEST_F(StoreObserverTest, SeesWhatIsStoredAndNotWhatIsRefusedForItsName) {
  options_.auto_create_metrics = false;
  Open();
  ASSERT_OK(tsdb_->names().AssignUid(UidKind::kMetric, "known"));
  const LinePoint lines[] = {{"known", "host=a", {.ms = kHour * 1000}, Value::Integer(1)},
                             {"unknown", "host=a", {.ms = kHour * 1000}, Value::Integer(2)},
                             {"known", "host=b", {.ms = kHour * 1000}, Value::Integer(3)},
                             {"known", "nothing", {.ms = kHour * 1000}, Value::Integer(4)}};
  std::vector<RefusedPoint> refused;
  ASSERT_OK(tsdb_->points().Append(lines, &refused).Wait());
  ASSERT_OK(tsdb_->points().Append(std::span(lines).first(1), &refused).Wait());
  ASSERT_OK(tsdb_->points().Append(std::span(lines).subspan(1, 1), &refused).Wait());

  EXPECT_THAT(recorder_.stores(), ElementsAre("1: known=1 known=3", "2: known=1"));
}

TEST_F(StoreObserverTest, GetsEachNewSeriesOnceAndNoKnownOne) {
  Open();
  std::vector<RefusedPoint> refused;
  std::vector<OwnedPoint> points;
  points.emplace_back("m", "host=a dc=x", kHour, 1);
  points.emplace_back("m", "dc=x host=a", kHour + 1, 2);  // the same series in another spelling
  points.emplace_back("n", "host=b", kHour, 3);
  ASSERT_OK(Append(std::move(points), &refused).Wait());
  Put("m", 0, 1);  // host=a
  Put("m", 1, 2);

  EXPECT_THAT(recorder_.new_series(),
              ElementsAre("1: m host=a dc=x 15; 2: n host=b 9", "3: m host=a 9"));
  EXPECT_EQ(second_.new_series(), recorder_.new_series());
}

TEST_F(StoreObserverTest, GetsNewSeriesOfLinesAsAnImportPutsThem) {
  Open();
  const LinePoint lines[] = {{"m", "host=a", {.ms = kHour * 1000}, Value::Integer(1)},
                             {"m", "nothing", {.ms = kHour * 1000}, Value::Integer(2)},
                             {"m", "host=a", {.ms = kHour * 1000 + 5000}, Value::Integer(3)}};
  std::vector<RefusedPoint> refused;
  ASSERT_OK(tsdb_->points().Append(lines, &refused).Wait());

  EXPECT_THAT(recorder_.new_series(), ElementsAre("1: m host=a 9"));
}

TEST_F(StoreObserverTest, GetsNoSeriesThatWasCreatedBeforeARestart) {
  Open();
  Put("m", 0, 1);
  Open();
  Put("m", 1, 2);
  Put("n", 0, 3);

  EXPECT_THAT(recorder_.new_series(), ElementsAre("1: m host=a 9", "2: n host=a 9"));
}

TEST_F(StoreObserverTest, GetsNoSeriesWhoseCreationFailed) {
  options_.auto_create_metrics = false;
  Open();
  ASSERT_OK(tsdb_->names().AssignUid(UidKind::kMetric, "known"));
  std::vector<RefusedPoint> refused;
  std::vector<OwnedPoint> points;
  points.emplace_back("unknown", "host=a", kHour, 1);
  points.emplace_back("known", "host=a", kHour, 2);
  ASSERT_OK(Append(std::move(points), &refused).Wait());

  EXPECT_THAT(refused, SizeIs(1));
  EXPECT_THAT(recorder_.new_series(), ElementsAre("1: known host=a 9"));
}

TEST_F(StoreObserverTest, NewSeriesAreInTheTablesWhenItIsCalled) {
  Open();
  std::vector<std::string> found;
  recorder_.after_new_series = [&] {
    const auto names = tsdb_->names().Suggest(UidKind::kMetric, "", 10);
    if (names.ok()) found = *names;
  };
  Put("m", 0, 1);

  EXPECT_THAT(found, ElementsAre("m"));
}

TEST_F(StoreObserverTest, APutFromInsideOfBeforeStoreIsRefused) {
  Open();
  absl::Status inner;
  recorder_.before_store = [&] {
    recorder_.before_store = nullptr;
    OwnedPoint point("inner", "host=a", kHour, 1);
    inner = tsdb_->points().Put(point.view());
  };
  Put("outer", 0, 1);

  EXPECT_THAT(inner, StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(StoreObserverTest, SeesThePointsOfLines) {
  Open();
  const LinePoint lines[] = {
      {"m", "host=a  dc=x", {.ms = kHour * 1000}, Value::Integer(1)},
      {"m", "nothing", {.ms = kHour * 1000}, Value::Integer(2)},
      {"m", "host=a  dc=x", {.ms = kHour * 1000 + 5000}, Value::Float(2.5)},
  };
  std::vector<RefusedPoint> refused;

  ASSERT_OK(tsdb_->points().Append(lines, &refused).Wait());
  ASSERT_OK(tsdb_->points().Append(std::span(lines).subspan(2), &refused).Wait());  // known by now

  EXPECT_THAT(
      recorder_.puts(),
      ElementsAre(
          fmt::format("before 1: m host=a dc=x {} 1 m host=a dc=x {} 2.5", kHour, kHour + 5),
          "after 1: 2", fmt::format("before 2: m host=a dc=x {} 2.5", kHour + 5), "after 2: 1"));
}

TEST_F(StoreObserverTest, ARefusedBatchLeavesNothing) {
  Open();
  recorder_.refused_metric = "bad";
  std::vector<RefusedPoint> refused;
  std::vector<OwnedPoint> points;
  points.emplace_back("good", "host=a", kHour, 1);
  points.emplace_back("bad", "host=a", kHour, 1);

  const CommitTicket ticket = Append(std::move(points), &refused);

  EXPECT_TRUE(ticket.took_nothing());
  EXPECT_THAT(ticket.Wait(), StatusIs(absl::StatusCode::kPermissionDenied, "no such points here"));
  EXPECT_THAT(refused, IsEmpty());
  EXPECT_THAT(recorder_.puts(), IsEmpty());
  EXPECT_THAT(second_.puts(), IsEmpty());
  for (const char* const metric : {"good", "bad"}) {
    EXPECT_THAT(tsdb_->names().FindUid(UidKind::kMetric, metric),
                StatusIs(absl::StatusCode::kNotFound));
  }
  OwnedPoint bad("bad", "host=a", kHour, 1);
  EXPECT_THAT(tsdb_->points().Put(bad.view()), StatusIs(absl::StatusCode::kPermissionDenied));
  Put("good", 0, 1);
}

TEST_F(StoreObserverTest, MayPutFromAfterPutButNotFromBefore) {
  Open();
  absl::Status inner;
  recorder_.after_put = [&] {
    OwnedPoint derived("derived", "host=a", kHour, 7);
    inner = tsdb_->points().Put(derived.view());
  };
  Put("m", 0, 1);
  Put("m", 1, 1);

  EXPECT_OK(inner);
  EXPECT_THAT(recorder_.puts(),
              ElementsAre(HasSubstr("before 1: m"), "after 1: 1", HasSubstr("before 2: derived"),
                          "after 2: 1", HasSubstr("before 3: m"), "after 3: 1"));

  class PutsBefore : public StoreObserver {
   public:
    absl::Status BeforePut(const PutBatch& /*batch*/) override {
      OwnedPoint point("derived", "host=a", kHour, 7);
      return tsdb->points().Put(point.view());
    }
    Tsdb* tsdb = nullptr;
  } puts_before;
  options_.observers = {&puts_before};
  Open();
  puts_before.tsdb = tsdb_.get();
  OwnedPoint point("m", "host=a", kHour, 1);
  EXPECT_THAT(tsdb_->points().Put(point.view()), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                          HasSubstr("an observer in BeforePut")));
  tsdb_.reset();  // before its observer
}

TEST_F(StoreObserverTest, ABatchNobodyWaitsForIsAcknowledgedAllTheSame) {
  Open();
  std::vector<OwnedPoint> points;
  points.emplace_back("m", "host=a", kHour, 1);
  {
    const CommitTicket dropped = Append(std::move(points), nullptr);
  }

  ASSERT_OK(tsdb_->maintenance().Flush());

  EXPECT_THAT(recorder_.puts(), ElementsAre(HasSubstr("before 1"), "after 1: 1"));
}

TEST_F(StoreObserverTest, ABatchThatWantsASyncIsAcknowledgedByOne) {
  Open();
  OwnedPoint point("m", "host=a", kHour, 1);
  const PointView views[] = {point.view()};
  const CommitTicket synced = tsdb_->points().Append(views, nullptr, {.sync = true});
  Put("other", 0, 1);  // written with it, and acknowledged without a sync

  EXPECT_THAT(recorder_.puts(), testing::Not(testing::Contains("after 1: 1")));
  ASSERT_OK(synced.Wait());
  EXPECT_THAT(recorder_.puts(), testing::Contains("after 1: 1"));
}

TEST_F(StoreObserverTest, HearsOfEachHourThatIsSealed) {
  Open();
  Put("m", 20, 2);
  Put("m", 10, 1);
  Put("m", 3600, 5);
  EXPECT_THAT(recorder_.seals(), IsEmpty());
  ASSERT_OK(tsdb_->maintenance().Seal());
  EXPECT_THAT(recorder_.seals(), ElementsAre("9 0: 10=1 20=2", "9 3600: 3600=5"));

  Put("m", 15, 9);
  ASSERT_OK(tsdb_->maintenance().Seal());
  EXPECT_THAT(recorder_.seals(), ElementsAre("9 0: 10=1 20=2", "9 3600: 3600=5", "9 0: 15=9"));
  EXPECT_EQ(second_.seals(), recorder_.seals());
}

TEST_F(StoreObserverTest, HearsOfFlushes) {
  Open();
  Put("m", 0, 1);
  Put("m", 86400, 1);  // a row of another day
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->Close());  // RocksDB's threads are done with it

  const std::pair<std::string, uint64_t> want("data", 2);
  EXPECT_THAT(recorder_.flushes(), testing::Contains(want));
  EXPECT_THAT(second_.flushes(), testing::Contains(want));
}

TEST_F(StoreObserverTest, HearsOfRegionsChangedByHandAndByPresplit) {
  options_.presplit = "keys:b,d";
  Open();
  ASSERT_OK(tsdb_->maintenance().regions()->Split({.region = "c", .at = "c"}));
  const auto listed = tsdb_->maintenance().regions()->List("data", ListDetail::kPlain);
  ASSERT_OK(tsdb_->maintenance().regions()->Merge(
      "data", {std::to_string((*listed)[1].id), std::to_string((*listed)[2].id)}));
  ASSERT_OK(
      tsdb_->maintenance().regions()->Split({.table = "annotation", .region = "k", .at = "k"}));

  EXPECT_THAT(recorder_.changes(), ElementsAre("before presplit data: [,) to [,b) [b,d) [d,)",
                                               "after presplit data: [,) to [,b) [b,d) [d,)",
                                               "before split data: [b,d) to [b,c) [c,d)",
                                               "after split data: [b,d) to [b,c) [c,d)",
                                               "before merge data: [b,c) [c,d) to [b,d)",
                                               "after merge data: [b,c) [c,d) to [b,d)",
                                               "before split annotation: [,) to [,k) [k,)",
                                               "after split annotation: [,) to [,k) [k,)"));
}

TEST_F(StoreObserverTest, RefusesASplitAndAMerge) {
  options_.presplit = "keys:m";
  Open();
  recorder_.change_answer = absl::AbortedError("not on Sundays");
  const auto listed = tsdb_->maintenance().regions()->List("data", ListDetail::kPlain);

  EXPECT_THAT(tsdb_->maintenance().regions()->Split({.region = "c", .at = "c"}).status(),
              StatusIs(absl::StatusCode::kAborted, "not on Sundays"));
  EXPECT_THAT(tsdb_->maintenance().regions()->RollingSplit("data", "keys:c").status(),
              StatusIs(absl::StatusCode::kAborted, "not on Sundays"));
  EXPECT_THAT(
      tsdb_->maintenance()
          .regions()
          ->Merge("data", {std::to_string((*listed)[0].id), std::to_string((*listed)[1].id)})
          .status(),
      StatusIs(absl::StatusCode::kAborted, "not on Sundays"));

  EXPECT_THAT(*tsdb_->maintenance().regions()->List("data", ListDetail::kPlain), SizeIs(2));
  EXPECT_THAT(*tsdb_->maintenance().regions()->Check("data"), IsEmpty());
  recorder_.change_answer = absl::OkStatus();
  EXPECT_OK(tsdb_->maintenance().regions()->Split({.region = "c", .at = "c"}).status());
}

TEST_F(StoreObserverTest, ARefusedPresplitLeavesTheStoreClosedOrWhole) {
  options_.presplit = "keys:m";
  recorder_.change_answer = absl::AbortedError("no");
  EXPECT_THAT(Tsdb::Open(options_), StatusIs(absl::StatusCode::kAborted));

  recorder_.change_answer = absl::FailedPreconditionError("no");
  Open();
  EXPECT_THAT(*tsdb_->maintenance().regions()->List("data", ListDetail::kPlain), SizeIs(1));
}

TEST_F(StoreObserverTest, RefusesASplitOfAPolicy) {
  ManualClock clock(2'000'000'000'000);
  options_.clock = &clock;
  auto store = *OpenRocksTableStore(directory_.file("db"), options_);
  RegionSettings settings;
  settings.split.policy = SplitPolicyKind::kConstantSize;
  settings.split.max_bytes = 50'000;
  settings.split.jitter = 0;
  settings.split.daughter_bytes_min = 1000;
  RegionLoads loads(settings.split);
  Stats stats;
  RegionMaintenance maintenance(settings, {.tables = store.get(),
                                           .list = store.get(),
                                           .regions = store->regions(),
                                           .loads = &loads,
                                           .clock = &clock,
                                           .stats = &stats});
  Random random(1);
  std::vector<Mutation> rows;
  for (int i = 0; i < 1000; ++i) {
    rows.push_back({TableId::kData, Mutation::Kind::kSet, fmt::format("k{:04}", i), ""});
    while (rows.back().value.size() < 100)
      rows.back().value += static_cast<char>(random.Next());
  }
  ASSERT_OK(store->ApplyUnlogged(rows));
  ASSERT_OK(store->Flush(TableId::kData));

  recorder_.change_answer = absl::AbortedError("no");
  EXPECT_THAT(maintenance.Tick(), StatusIs(absl::StatusCode::kAborted, "no"));
  EXPECT_EQ(stats.counter("region.errors")->value(), 1u);
  EXPECT_THAT(store->regions()->Regions(TableId::kData), SizeIs(1));

  recorder_.change_answer = absl::OkStatus();
  EXPECT_OK(maintenance.Tick());
  EXPECT_THAT(store->regions()->Regions(TableId::kData), SizeIs(2));
  EXPECT_THAT(recorder_.changes(),
              ElementsAre(HasSubstr("before split data"), HasSubstr("before split data"),
                          HasSubstr("after split data")));
}

}  // namespace
}  // namespace hourcell::store_observer_test
