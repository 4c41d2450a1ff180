#include "engine/salt_admin.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/rows/row_key.h"
#include "codec/rows/salt.h"
#include "engine/query/annotation.h"
#include "engine/query/last_query.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::salt_admin_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;
constexpr int kHosts = 30;

class SaltAdminTest : public testing::Test {
 protected:
  SaltAdminTest() {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.layout.salt_width = 1;
    options_.layout.salt_buckets = 4;
  }

  void SetUp() override { Open(); }

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  // A point of every host in the hour that begins `hour` hours after the first.
  void PutHour(int hour) {
    for (int host = 0; host < kHosts; ++host) {
      OwnedPoint point("m", fmt::format("host=h{:02}", host), kHour + 3600 * hour + host, hour);
      ASSERT_OK(tsdb_->points().Put(point.view()));
    }
  }

  static uint64_t HourAt(int hour) { return static_cast<uint64_t>(kHour + 3600 * hour); }

  std::string Epochs() const {
    std::string text;
    const absl::StatusOr<std::vector<SaltEpoch>> epochs = tsdb_->maintenance().salt()->Epochs();
    for (const SaltEpoch& epoch : *epochs) {
      const int64_t hour =
          epoch.from_s == 0 ? 0 : (static_cast<int64_t>(epoch.from_s) - kHour) / 3600;
      text += fmt::format("{}{}={}", text.empty() ? "" : ",", hour, epoch.buckets);
    }
    return text;
  }

  // How many points a query of all hosts gives in each hour of [first, last).
  std::vector<int> CountHours(int first, int last, ReadMethod method) {
    QuerySpec spec =
        MakeQuery(Aggregator::kNone, "m", {}, kHour + 3600 * first, kHour + 3600 * last - 1);
    spec.read_method = method;
    const auto result = tsdb_->queries().Query(spec);
    EXPECT_OK(result);
    std::vector<int> counts(static_cast<size_t>(last - first));
    if (!result.ok()) return counts;
    for (const ResultSeries& series : result->series) {
      for (const ResultPoint& point : series.points) {
        ++counts[static_cast<size_t>((point.ms / 1000 - kHour) / 3600 - first)];
        EXPECT_EQ(point.value.ToDouble(), double((point.ms / 1000 - kHour) / 3600));
      }
    }
    return counts;
  }

  // The buckets of stored rows by hour; each must be that of its series and epoch.
  std::map<int, std::set<uint32_t>> Buckets() {
    EXPECT_OK(tsdb_->maintenance().Seal());
    std::map<int, std::set<uint32_t>> buckets;
    const RowKeyCodec codec(options_.layout);
    EXPECT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      const auto key = codec.Parse(row.key);
      EXPECT_TRUE(key.ok());
      std::string tsuid;
      RowKeyCodec::AppendTsuid(*key, &tsuid);
      uint32_t in_force = 0;
      const absl::StatusOr<std::vector<SaltEpoch>> epochs = tsdb_->maintenance().salt()->Epochs();
      for (const SaltEpoch& epoch : *epochs)
        if (epoch.from_s <= row.base_time_s) in_force = epoch.buckets;
      EXPECT_EQ(key->salt_bucket, SaltBucket(options_.layout, tsuid, in_force));
      buckets[static_cast<int>((row.base_time_s - kHour) / 3600)].insert(key->salt_bucket);
      return true;
    }));
    return buckets;
  }

  TempDir directory_;
  ManualClock clock_{(kHour + 1800) * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(SaltAdminTest, RowsOfALaterHourAreSpreadOverOtherBuckets) {
  ASSERT_NO_FATAL_FAILURE(PutHour(0));
  ASSERT_OK(tsdb_->maintenance().salt()->Change(16, HourAt(1)));
  EXPECT_EQ(Epochs(), "0=4,1=16");
  for (const int hour : {1, 2, 0})
    ASSERT_NO_FATAL_FAILURE(PutHour(hour));
  ASSERT_OK(tsdb_->maintenance().salt()->Change(2, HourAt(3)));
  for (const int hour : {3, 1})
    ASSERT_NO_FATAL_FAILURE(PutHour(hour));

  auto buckets = Buckets();
  EXPECT_EQ(buckets[0].size(), 4u);
  EXPECT_GT(buckets[1].size(), 8u);
  EXPECT_GT(buckets[2].size(), 8u);
  EXPECT_EQ(buckets[3].size(), 2u);

  for (const bool again : {false, true}) {
    if (again) Open();
    EXPECT_EQ(Epochs(), "0=4,1=16,3=2");
    for (const ReadMethod method :
         {ReadMethod::kPointReads, ReadMethod::kLinearScan, ReadMethod::kSkipScan}) {
      EXPECT_THAT(CountHours(0, 4, method), ElementsAre(kHosts, kHosts, kHosts, kHosts));
      EXPECT_THAT(CountHours(1, 2, method), ElementsAre(kHosts));
      EXPECT_THAT(CountHours(2, 4, method), ElementsAre(kHosts, kHosts));
    }
  }
}

TEST_F(SaltAdminTest, ScansByThreadsAndInOrderSeeEveryRowOnce) {
  for (const int hour : {0, 1, 2, 3}) {
    ASSERT_NO_FATAL_FAILURE(PutHour(hour));
    const uint32_t buckets[] = {16, 2, 40, 3};
    ASSERT_OK(tsdb_->maintenance().salt()->Change(buckets[hour], HourAt(hour + 1)));
  }
  ASSERT_OK(tsdb_->maintenance().Seal());
  for (const char* const metric : {"m", ""}) {
    const auto scan = tsdb_->queries().PlanScan({.metric = metric}, {.workers = 3});
    ASSERT_OK(scan);
    const auto add = [](const ScannedRow& row, size_t* points) { *points += row.times.size(); };
    const auto merge = [](size_t from, size_t* to) { *to += from; };
    EXPECT_THAT((*scan)->Reduce(size_t{0}, add, merge), IsOkAndHolds(4u * kHosts)) << metric;
  }
  const auto in_order = tsdb_->queries().PlanScan({.metric = "m"}, {.workers = 3});
  ASSERT_OK(in_order);
  std::vector<uint32_t> hours;
  ASSERT_OK((*in_order)->RunInOrder([&](const ScannedRow& row) {
    hours.push_back(row.base_time_s);
    return true;
  }));
  EXPECT_EQ(hours.size(), 4u * kHosts);
  EXPECT_TRUE(std::ranges::is_sorted(hours));
}

TEST_F(SaltAdminTest, LastPointsAreFoundInWhateverEpochTheyAre) {
  // Host h has its last point in hour h % 5.
  for (const int hour : {0, 1, 2, 3, 4}) {
    for (int host = 0; host < kHosts; ++host) {
      if (host % 5 < hour) continue;
      OwnedPoint point("m", fmt::format("host=h{:02}", host), kHour + 3600 * hour, hour);
      ASSERT_OK(tsdb_->points().Put(point.view()));
    }
    const uint32_t buckets[] = {16, 1, 40, 7, 3};
    ASSERT_OK(tsdb_->maintenance().salt()->Change(buckets[hour], HourAt(hour + 1)));
  }
  clock_.Advance(10 * 3600 * 1000);
  for (const bool sealed : {false, true}) {
    if (sealed) {
      ASSERT_OK(tsdb_->maintenance().Seal());
    }
    std::map<std::string, int64_t> last;
    LastQuery query;
    query.queries.emplace_back().metric = "m";
    query.resolve = true;
    ASSERT_OK(tsdb_->queries().LastPoints(query, [&](const LastPoint& point) {
      last[std::string(point.series.tags[0].value)] = (point.ms / 1000 - kHour) / 3600;
    }));
    ASSERT_EQ(last.size(), static_cast<size_t>(kHosts));
    for (int host = 0; host < kHosts; ++host)
      EXPECT_EQ(last[fmt::format("h{:02}", host)], host % 5) << host;
  }
}

TEST_F(SaltAdminTest, WithoutATimeItIsAsSoonAsCanBe) {
  ASSERT_OK(tsdb_->maintenance().salt()->Change(9, std::nullopt));
  EXPECT_EQ(Epochs(), "0=4,2=9") << "half past hour 0: the first hour at least an hour away";
  ASSERT_NO_FATAL_FAILURE(PutHour(7));
  ASSERT_OK(tsdb_->maintenance().salt()->Change(4, std::nullopt));
  EXPECT_EQ(Epochs(), "0=4,2=9,8=4") << "after rows of the future";
}

TEST_F(SaltAdminTest, HoursWithRowsAreRefusedAndNothingChanges) {
  ASSERT_NO_FATAL_FAILURE(PutHour(0));
  ASSERT_NO_FATAL_FAILURE(PutHour(3));
  for (const int hour : {-1, 0, 1, 3}) {
    EXPECT_THAT(tsdb_->maintenance().salt()->Change(9, HourAt(hour)),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("the store has rows of the hour from 2013-01-01 03:00:00; "
                                   "expected an epoch after it, from 1357012800 s on")));
  }
  EXPECT_EQ(Epochs(), "0=4");
  EXPECT_OK(tsdb_->maintenance().salt()->Change(9, HourAt(4)));
  EXPECT_EQ(Epochs(), "0=4,4=9");
}

TEST_F(SaltAdminTest, AnnotationsOfSeriesCountAsRowsAndGlobalOnesDoNot) {
  ASSERT_NO_FATAL_FAILURE(PutHour(0));
  const auto note = [&](const std::string& tsuid, int hour) {
    AnnotationEdit edit{.tsuid = tsuid, .start_time = static_cast<int64_t>(HourAt(hour))};
    edit.description = "note";
    return tsdb_->annotations().Put({&edit, 1}, AnnotationWrite::kMerge).status();
  };
  const std::string tsuid = "000001000001000001";
  ASSERT_OK(note(tsuid, 2));
  ASSERT_OK(note("", 9));
  EXPECT_THAT(tsdb_->maintenance().salt()->Change(9, HourAt(2)),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("2013-01-01 02:00:00")));
  ASSERT_OK(tsdb_->maintenance().salt()->Change(200, HourAt(3)));
  ASSERT_OK(note(tsuid, 3));
  for (const int hour : {2, 3}) {
    const auto found = tsdb_->annotations().Get(tsuid, static_cast<int64_t>(HourAt(hour)));
    ASSERT_OK(found);
    EXPECT_TRUE(found->has_value()) << hour;
  }
  QuerySpec spec = MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 86400);
  const auto result = tsdb_->queries().Query(spec);
  ASSERT_OK(result);
  size_t notes = 0;
  for (const ResultSeries& series : result->series)
    notes += series.annotations.size();
  EXPECT_EQ(notes, 2u);
}

TEST_F(SaltAdminTest, WhatIsNoEpochIsRefused) {
  EXPECT_THAT(tsdb_->maintenance().salt()->Change(0, HourAt(1)),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(tsdb_->maintenance().salt()->Change(257, HourAt(1)),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("got 257 buckets")));
  EXPECT_THAT(tsdb_->maintenance().salt()->Change(9, HourAt(1) + 1),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("expected a whole hour")));
  EXPECT_THAT(tsdb_->maintenance().salt()->Change(9, uint64_t{1} << 40),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("expected at most")));
  EXPECT_THAT(tsdb_->maintenance().salt()->Change(4, HourAt(1)),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("other than 4 buckets")));
  EXPECT_EQ(Epochs(), "0=4");
}

TEST_F(SaltAdminTest, AStoreWithoutSaltHasOneBucketForEver) {
  options_.path += "2";
  options_.layout.salt_width = 0;
  Open();
  EXPECT_EQ(Epochs(), "0=1");
  EXPECT_THAT(tsdb_->maintenance().salt()->Change(9, HourAt(1)),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("tsd.storage.salt.width is 0")));
}

TEST_F(SaltAdminTest, TheSettingMayBeThatOfTheFirstEpochOrTheLast) {
  ASSERT_OK(tsdb_->maintenance().salt()->Change(9, HourAt(1)));
  ASSERT_OK(tsdb_->maintenance().salt()->Change(16, HourAt(2)));
  for (const uint32_t buckets : {16u, 4u}) {
    options_.layout.salt_buckets = buckets;
    Open();
    EXPECT_EQ(Epochs(), "0=4,1=9,2=16");
    EXPECT_EQ(tsdb_->layout().salt_buckets, 4u);
  }
  options_.layout.salt_buckets = 9;
  tsdb_.reset();
  EXPECT_THAT(Tsdb::Open(options_).status(),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("tsd.storage.salt.buckets")));
}

TEST_F(SaltAdminTest, ChangesAmongPutsLoseNothing) {
  std::atomic<int> hour = 0;
  std::jthread putter([&] {
    for (; hour < 12; ++hour)
      PutHour(hour);
  });
  std::vector<uint64_t> taken;
  for (uint32_t buckets = 5; hour < 11; ++buckets) {
    const absl::Status done = tsdb_->maintenance().salt()->Change(buckets, HourAt(hour + 1));
    if (done.ok()) taken.push_back(buckets);
  }
  putter.join();
  EXPECT_FALSE(taken.empty());
  EXPECT_EQ(Buckets().size(), 12u);
  EXPECT_THAT(CountHours(0, 12, ReadMethod::kCheapest), testing::Each(kHosts));
}

}  // namespace
}  // namespace hourcell::salt_admin_test
