#include "engine/undo/ttl_log.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "engine/fsck.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::ttl_log_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kDay = 86'400;
constexpr int64_t kStart = 1'356'998'400;  // of a day
constexpr int64_t kUndoS = 7 * kDay;

// A store with a point of each of ten days, in files.
class TtlUndoTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.undo_s = kUndoS;
    options_.ttl_s = 30 * kDay;
    Open();
    for (const char* const metric : {"m", "n"}) {
      for (int64_t day = 0; day < 10; ++day)
        Put(metric, day, day);
    }
    ASSERT_OK(tsdb_->maintenance().Flush());
  }

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  // As after kill -9.
  void Crash() {
    auto copy = std::make_unique<TempDir>();
    options_.path = CopyStore(options_.path, *copy);
    Open();
    directories_.push_back(std::move(copy));
  }

  void Put(const std::string& metric, int64_t day, int64_t value) {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint(metric, "h=a", kStart + day * kDay, value).view()));
  }

  // The days with visible points.
  std::vector<int64_t> Days(const std::string& metric) {
    const auto result = tsdb_->queries().Query(
        MakeQuery(Aggregator::kNone, metric, {}, kStart, kStart + 20 * kDay));
    EXPECT_OK(result);
    std::vector<int64_t> days;
    if (!result.ok()) return days;
    for (const ResultSeries& series : result->series) {
      for (const ResultPoint& point : series.points)
        days.push_back((point.ms / 1000 - kStart) / kDay);
    }
    return days;
  }

  // The stored cells, as a scan shows them.
  std::vector<std::string> Cells() {
    std::vector<std::string> cells;
    EXPECT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      cells.push_back(ToHex(row.qualifiers) + " " + ToHex(row.values));
      return true;
    }));
    return cells;
  }

  // Removes expired rows as far as it may, and counts the points in files.
  uint64_t PointsInFiles() {
    EXPECT_OK(tsdb_->maintenance().Flush());
    EXPECT_OK(tsdb_->retention().DropExpired());
    EXPECT_OK(tsdb_->maintenance().Compact());
    EXPECT_OK(tsdb_->Close());
    const auto report = RunFsck(options_, {});
    EXPECT_OK(report);
    if (report.ok() && report->faults() > 0) ADD_FAILURE() << report->examples.front().text;
    Open();
    return report.ok() ? report->points : 0;
  }

  std::vector<ShortenedTtl> List() {
    const auto list = tsdb_->retention().ShortenedTtls();
    EXPECT_OK(list);
    return list.value_or(std::vector<ShortenedTtl>());
  }

  TempDir directory_;
  ManualClock clock_{(kStart + 10 * kDay) * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::vector<std::unique_ptr<TempDir>> directories_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(TtlUndoTest, AnUndoBringsAllPointsBack) {
  const std::vector<int64_t> all = Days("m");
  ASSERT_THAT(all, SizeIs(10));
  const std::vector<std::string> cells = Cells();
  EXPECT_THAT(List(), IsEmpty()) << "the TTL of a new store is not shorter than another";

  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3 * kDay));
  EXPECT_THAT(Days("m"), ElementsAre(7, 8, 9));
  EXPECT_EQ(Days("n"), all);
  const ShortenedTtl want{.id = 1,
                          .changed_ms = clock_.NowMs(),
                          .undo_until_ms = clock_.NowMs() + kUndoS * 1000,
                          .metric = "m",
                          .before_s = std::nullopt,
                          .shortened_s = 3 * kDay};
  EXPECT_THAT(List(), ElementsAre(want));
  EXPECT_EQ(PointsInFiles(), 20u);
  Crash();
  EXPECT_THAT(List(), ElementsAre(want));
  EXPECT_EQ(PointsInFiles(), 20u);
  EXPECT_THAT(Days("m"), ElementsAre(7, 8, 9));

  ASSERT_OK(tsdb_->retention().UndoTtl(1));
  EXPECT_EQ(Days("m"), all);
  EXPECT_EQ(Cells(), cells);
  EXPECT_THAT(tsdb_->retention().MetricTtls(), IsOkAndHolds(IsEmpty()));
  Crash();
  EXPECT_EQ(Days("m"), all);
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_THAT(tsdb_->retention().UndoTtl(1),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("change 1: not found")));
}

TEST_F(TtlUndoTest, TheTtlOfTheStoreAlso) {
  options_.ttl_s = 3 * kDay;
  Open();
  EXPECT_THAT(Days("m"), ElementsAre(7, 8, 9));
  EXPECT_THAT(List(), ElementsAre(ShortenedTtl{.id = 1,
                                               .changed_ms = clock_.NowMs(),
                                               .undo_until_ms = clock_.NowMs() + kUndoS * 1000,
                                               .before_s = 30 * kDay,
                                               .shortened_s = 3 * kDay}));
  EXPECT_EQ(PointsInFiles(), 20u);
  EXPECT_THAT(List(), SizeIs(1)) << "the same TTL is not shorter";
  options_.ttl_s = {};
  Crash();
  ASSERT_OK(tsdb_->retention().UndoTtl(1));
  EXPECT_THAT(Days("m"), SizeIs(10));
  EXPECT_EQ(tsdb_->retention().store_ttl_s(), 30 * kDay);
  Open();
  EXPECT_THAT(Days("n"), SizeIs(10));

  options_.ttl_s = 3 * kDay;
  Open();
  EXPECT_THAT(Days("m"), ElementsAre(7, 8, 9));
  ASSERT_THAT(List(), SizeIs(1));
  EXPECT_EQ(List().front().id, 2u) << "ids are not reused";
}

TEST_F(TtlUndoTest, AfterItsTimeTheShorterTtlCounts) {
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3 * kDay));
  clock_.Advance(kUndoS * 1000 - 1);
  EXPECT_EQ(PointsInFiles(), 20u);
  EXPECT_THAT(List(), SizeIs(1));
  clock_.Advance(1);
  EXPECT_EQ(PointsInFiles(), 10u);
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_THAT(tsdb_->retention().UndoTtl(1), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Days("n"), SizeIs(10));
}

TEST_F(TtlUndoTest, AForgottenChangeCountsAtOnce) {
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3 * kDay));
  EXPECT_THAT(tsdb_->retention().ForgetTtl(2), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK(tsdb_->retention().ForgetTtl(1));
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_EQ(PointsInFiles(), 13u);
  EXPECT_THAT(Days("m"), ElementsAre(7, 8, 9));
}

TEST_F(TtlUndoTest, WithoutUndoTheShorterTtlCountsAtOnce) {
  options_.undo_s = 0;
  Open();
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3 * kDay));
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_EQ(PointsInFiles(), 13u);
}

// The time is in the record, not in the setting.
TEST_F(TtlUndoTest, AProgramWithoutTheSettingKeepsThePoints) {
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3 * kDay));
  options_.undo_s = 0;
  EXPECT_EQ(PointsInFiles(), 20u);
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", kDay));
  EXPECT_THAT(List(), SizeIs(1));
  EXPECT_EQ(PointsInFiles(), 20u);
}

TEST_F(TtlUndoTest, OfTwoChangesTheLongestTtlCounts) {
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 5 * kDay));
  clock_.Advance(2 * kDay * 1000);
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3 * kDay));
  EXPECT_THAT(Days("m"), ElementsAre(9));
  EXPECT_THAT(tsdb_->retention().UndoTtl(1),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("change 1: the TTL of m was changed since")));
  EXPECT_THAT(List(), SizeIs(2)) << "a refused undo changes nothing";
  clock_.Advance((kUndoS - 2 * kDay) * 1000);
  EXPECT_EQ(PointsInFiles(), 20u) << "the second change keeps the points of the first";
  EXPECT_THAT(List(), SizeIs(1));
  ASSERT_OK(tsdb_->retention().UndoTtl(2));
  EXPECT_THAT(tsdb_->retention().MetricTtls(), IsOkAndHolds(ElementsAre(MetricTtl{"m", 5 * kDay})));
  EXPECT_THAT(List(), IsEmpty());
}

TEST_F(TtlUndoTest, UndosInReverseOrderBringAllBack) {
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 5 * kDay));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3 * kDay));
  ASSERT_OK(tsdb_->retention().UndoTtl(2));
  EXPECT_EQ(PointsInFiles(), 20u);
  EXPECT_THAT(Days("m"), ElementsAre(5, 6, 7, 8, 9));
  ASSERT_OK(tsdb_->retention().UndoTtl(1));
  EXPECT_THAT(Days("m"), SizeIs(10));
}

// The store's record does not count for a metric with its own TTL, so that gets a record, too.
TEST_F(TtlUndoTest, AMetricThatGetsItsOwnTtlKeepsThePointsOfTheStoresChange) {
  options_.ttl_s = 3 * kDay;
  Open();
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 4 * kDay));
  EXPECT_THAT(List(), SizeIs(2));
  EXPECT_EQ(PointsInFiles(), 20u);
  ASSERT_OK(tsdb_->retention().UndoTtl(2));
  ASSERT_OK(tsdb_->retention().UndoTtl(1));
  EXPECT_THAT(Days("m"), SizeIs(10));
}

TEST_F(TtlUndoTest, OnlyAShorterTtlOfStoredPointsGetsARecord) {
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 40 * kDay));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 0));
  ASSERT_OK(tsdb_->names().AssignUid(UidKind::kMetric, "empty"));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("empty", 60));
  EXPECT_THAT(List(), IsEmpty());
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", std::nullopt));
  ASSERT_THAT(List(), SizeIs(1)) << "the TTL of the store is shorter than none";
  EXPECT_EQ(List().front().before_s, 0);
  EXPECT_EQ(List().front().shortened_s, std::nullopt);
  ASSERT_OK(tsdb_->retention().UndoTtl(1));
  EXPECT_THAT(tsdb_->retention().MetricTtls(),
              IsOkAndHolds(ElementsAre(MetricTtl{"empty", 60}, MetricTtl{"m", 0})));
}

// Points that only memory and the journal have are in files after the undo.
TEST_F(TtlUndoTest, AnOpenHourIsSealed) {
  ASSERT_OK(tsdb_->points().Put(OwnedPoint("m", "h=b", kStart + kDay, 1).view()));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3 * kDay));
  EXPECT_EQ(PointsInFiles(), 21u);
  ASSERT_OK(tsdb_->retention().UndoTtl(1));
  EXPECT_THAT(Days("m"), SizeIs(11));
}

TEST_F(TtlUndoTest, DeletesAndTtlsShareTheirIds) {
  const auto delete_day = [&](int64_t day) {
    const auto deleted = tsdb_->points().DeletePoints(
        MakeQuery(Aggregator::kNone, "n", {}, kStart + day * kDay, kStart + day * kDay + 1));
    return deleted.ok() ? deleted->undo_id : 0;
  };
  EXPECT_EQ(delete_day(0), 1u);
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3 * kDay));
  EXPECT_EQ(List().front().id, 2u);
  EXPECT_EQ(delete_day(1), 3u);
  EXPECT_THAT(tsdb_->points().Undo(2), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(tsdb_->retention().UndoTtl(1), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace hourcell::ttl_log_test
