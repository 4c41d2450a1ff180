// Series that a delete has emptied: they leave the active sets of their days, and the running store
// drops those that are in no set any more.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/fsck.h"
#include "engine/fsck_admin.h"
#include "engine/tsdb.h"
#include "tests/engine/backup/backup_testing.h"
#include "tests/support/temp_dir.h"

namespace hourcell::delete_drop_test {
namespace {

using testing::IsEmpty;

constexpr int64_t kDay = 86'400;

class DeleteDropTest : public testing::Test {
 protected:
  DeleteDropTest() {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.active_from_series = 1;  // plans read the sets
  }

  // 128 series of one point; 127 have their index rows in files.
  void Fill() {
    tsdb_ = OpenTiny(options_);
    PutManySeries(tsdb_.get());
    ASSERT_OK(tsdb_->maintenance().Flush());
  }

  void Put(int i, int64_t time_s, int64_t value = 1) {
    ASSERT_OK(
        tsdb_->points().Put(OwnedPoint("many", fmt::format("id=i{}", i), time_s, value).view()));
  }

  // Of the series from `first` to `last`.
  uint64_t Delete(int first, int last, int64_t start_s, int64_t end_s) {
    std::string ids;
    for (int i = first; i <= last; ++i)
      ids += fmt::format("{}i{}", ids.empty() ? "" : "|", i);
    const auto deleted = tsdb_->points().DeletePoints(MakeQuery(
        Aggregator::kSum, "many", {{"id", FilterType::kLiteralOr, ids, false}}, start_s, end_s));
    EXPECT_OK(deleted);
    return deleted.ok() ? deleted->points : 0;
  }

  uint64_t Found() {
    const auto found =
        tsdb_->queries().LookupSeries({.metric = "many"}, [](const FoundSeries&) { return true; });
    EXPECT_OK(found);
    return found.value_or(0);
  }

  int64_t Dropped() {
    for (const StatSample& sample : tsdb_->stats().Snapshot())
      if (sample.name == "series.dropped") return sample.value;
    return -1;
  }

  // "id second" -> value, by one query a day.
  std::map<std::string, double> Points(int64_t days) {
    std::map<std::string, double> points;
    for (int64_t day = 0; day < days; ++day) {
      const int64_t start_s = kBackupHour + day * kDay;
      const auto result = tsdb_->queries().Query(
          MakeQuery(Aggregator::kNone, "many", {}, start_s, start_s + kDay - 1));
      EXPECT_OK(result);
      if (!result.ok()) return points;
      for (const ResultSeries& series : result->series) {
        for (const ResultPoint& point : series.points) {
          points[fmt::format("{} {}", series.tags[0].second, point.ms / 1000 - kBackupHour)] =
              point.value.ToDouble();
        }
      }
    }
    return points;
  }

  void ExpectNoFaults() {
    const auto running = tsdb_->maintenance().fsck()->Check({});
    ASSERT_OK(running);
    EXPECT_THAT(running->counts, IsEmpty());
    ASSERT_OK(tsdb_->Close());
    const auto closed = RunFsck(options_, {});
    ASSERT_OK(closed);
    EXPECT_THAT(closed->counts, IsEmpty());
    tsdb_ = OpenTiny(options_);
  }

  TempDir dir_;
  ManualClock clock_{(kBackupHour + 60) * 1000};
  Options options_ = TinyOptions(dir_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(DeleteDropTest, WhatADeleteEmptiedIsDropped) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  EXPECT_EQ(Delete(20, 99, kBackupHour, kBackupHour + 10), 80u);
  EXPECT_EQ(Found(), 128u) << "not by the delete itself";
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 80);
  EXPECT_EQ(Found(), 48u);
  EXPECT_OK(tsdb_->names().FindUid(UidKind::kTagv, "i70")) << "names stay";
  ExpectNoFaults();
  EXPECT_EQ(Found(), 48u);
  Put(70, kBackupHour + 5, 7);
  EXPECT_EQ(Found(), 49u);
  EXPECT_EQ(Points(1).at("i70 5"), 7);
  ExpectNoFaults();
}

TEST_F(DeleteDropTest, WhatHasAPointLeftStays) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  Put(20, kBackupHour + 7200);      // another hour of the day
  Put(21, kBackupHour + 5 * kDay);  // another day
  Put(22, kBackupHour + 20);        // the same row
  ASSERT_OK(tsdb_->maintenance().Flush());
  EXPECT_EQ(Delete(20, 99, kBackupHour, kBackupHour + 10), 80u);
  Put(23, kBackupHour + 30);  // after the delete, not sealed yet
  ASSERT_OK(tsdb_->retention().DropExpired());
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Dropped(), 76);
  EXPECT_EQ(Found(), 52u);
  const auto points = Points(6);
  for (const char* const point : {"i20 7200", "i21 432000", "i22 20", "i23 30"})
    EXPECT_EQ(points.count(point), 1u) << point;
  ExpectNoFaults();

  // Of these the rest goes, too.
  EXPECT_EQ(Delete(20, 23, kBackupHour, kBackupHour + 6 * kDay), 4u);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Found(), 48u);
  ExpectNoFaults();
}

TEST_F(DeleteDropTest, SeriesWithHiddenPointsStayUntilTheyAreRemoved) {
  options_.undo_s = 7 * kDay;
  ASSERT_NO_FATAL_FAILURE(Fill());
  const auto before = Points(1);
  const auto hide = [this] {
    EXPECT_EQ(Delete(20, 99, kBackupHour, kBackupHour + 10), 0u) << "they are not counted";
    EXPECT_EQ(Points(1).size(), 48u);
    for (int i = 0; i < 3; ++i)
      EXPECT_OK(tsdb_->retention().DropExpired());
    EXPECT_EQ(Dropped(), 0);
    EXPECT_EQ(Found(), 48u) << "lists leave them out";
    ExpectNoFaults();
  };
  hide();
  ASSERT_OK(tsdb_->points().Undo(1));
  EXPECT_EQ(Found(), 128u);
  EXPECT_EQ(Points(1), before);
  ExpectNoFaults();

  hide();
  ASSERT_OK(tsdb_->points().Forget(2));
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Found(), 48u);
  EXPECT_EQ(Points(1).size(), 48u);
  ExpectNoFaults();
}

TEST_F(DeleteDropTest, AStoreThatWasClosedBeforeTheyWereDroppedFindsThem) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  EXPECT_EQ(Delete(20, 99, kBackupHour, kBackupHour + 10), 80u);
  ASSERT_OK(tsdb_->Close());
  tsdb_ = OpenTiny(options_);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Found(), 48u);
}

// Days whose sets a program dropped that did not drop series, under a TTL that is no more.
TEST_F(DeleteDropTest, WhatLostItsSetsUnderAnEarlierTtlIsFoundToo) {
  options_.drop_empty_series = false;
  options_.ttl_s = kDay;
  ASSERT_NO_FATAL_FAILURE(Fill());
  clock_.Advance(30 * kDay * 1000);
  Put(0, clock_.NowMs() / 1000);
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->maintenance().Compact());
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Found(), 128u);
  ASSERT_OK(tsdb_->Close());
  options_.drop_empty_series = true;
  options_.ttl_s = 0;
  tsdb_ = OpenTiny(options_);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_LE(Found(), 2u) << "the one with a point, and the last, which may have no index rows";
  ExpectNoFaults();
}

TEST_F(DeleteDropTest, TheSettingKeepsThem) {
  options_.drop_empty_series = false;
  ASSERT_NO_FATAL_FAILURE(Fill());
  EXPECT_EQ(Delete(20, 99, kBackupHour, kBackupHour + 10), 80u);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_EQ(Found(), 128u);
  ExpectNoFaults();
}

// Against a map, with plans that read the sets; series come and go several times.
TEST_F(DeleteDropTest, PointsAreThoseOfAMapWhateverCameAndWent) {
  constexpr int64_t kDays = 4;
  ASSERT_NO_FATAL_FAILURE(Fill());
  std::map<std::string, double> want = Points(kDays);
  ASSERT_EQ(want.size(), 128u);
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 40; ++i) {
      const int id = static_cast<int>(random.Below(128));
      const auto second = static_cast<int64_t>(random.Below(kDays * kDay) / 1800 * 1800);
      Put(id, kBackupHour + second, round);
      want[fmt::format("i{} {}", id, second)] = round;
    }
    if (random.Below(3) == 0) {
      ASSERT_OK(tsdb_->maintenance().Seal());
    }
    const int first = static_cast<int>(random.Below(128));
    const int last = std::min(127, first + static_cast<int>(random.Below(64)));
    const auto from = static_cast<int64_t>(random.Below(kDays * kDay));
    const int64_t until = from + static_cast<int64_t>(random.Below(2 * kDay));
    Delete(first, last, kBackupHour + from, kBackupHour + until);
    std::erase_if(want, [&](const auto& point) {
      int id = 0;
      int64_t second = 0;
      EXPECT_EQ(std::sscanf(point.first.c_str(), "i%d %ld", &id, &second), 2);
      return id >= first && id <= last && second >= from && second <= until;
    });
    if (random.Below(2) == 0) {
      ASSERT_OK(tsdb_->retention().DropExpired());
    }
    ASSERT_EQ(Points(kDays), want) << "round " << round;
    if (round % 20 == 19) {
      ASSERT_NO_FATAL_FAILURE(ExpectNoFaults());
    }
  }
  EXPECT_EQ(Delete(0, 127, kBackupHour, kBackupHour + (kDays + 2) * kDay), want.size());
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_LE(Found(), 64u) << "those whose index rows may be in memory";
  EXPECT_THAT(Points(kDays), IsEmpty());
}

}  // namespace
}  // namespace hourcell::delete_drop_test
