#include "engine/deletion/point_deleter.h"

#include <signal.h>

#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "codec/base/status_macros.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::point_deleter_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;

constexpr int64_t kHour = 1356998400;

// The points of all series of metric m: "h=a", second after kHour -> value.
using StoredPoints = std::map<std::pair<std::string, int64_t>, double>;

absl::StatusOr<StoredPoints> PointsOf(Tsdb* tsdb) {
  HOURCELL_ASSIGN_OR_RETURN(const QueryResult result,
                            tsdb->queries().Query(MakeQuery(Aggregator::kNone, "m", {},
                                                            kHour - 864'000, kHour + 864'000)));
  StoredPoints points;
  for (const ResultSeries& series : result.series) {
    for (const ResultPoint& point : series.points) {
      points[{series.tags.front().first + "=" + series.tags.front().second,
              point.ms / 1000 - kHour}] = point.value.ToDouble();
    }
  }
  return points;
}

QuerySpec DeleteSpec(int64_t from_s, int64_t until_s, std::vector<TagFilterSpec> filters = {}) {
  return MakeQuery(Aggregator::kSum, "m", std::move(filters), kHour + from_s, kHour + until_s);
}

TagFilterSpec Host(const std::string& host) {
  return {"h", FilterType::kLiteralOr, host, false};
}

class PointDeleterTest : public testing::TestWithParam<std::pair<size_t, CellEncoding>> {
 protected:
  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.layout.salt_width = GetParam().first;
    options_.cell_encoding = GetParam().second;
    Open(options_);
  }

  void Open(const Options& options) {
    tsdb_.reset();
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  void Put(const std::string& tags, int64_t second, int64_t value) {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint("m", tags, kHour + second, value).view()));
  }

  StoredPoints All() {
    const auto points = PointsOf(tsdb_.get());
    EXPECT_OK(points);
    return points.value_or(StoredPoints());
  }

  TempDir directory_;
  ManualClock clock_{(kHour + 1800) * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_P(PointDeleterTest, DeletesThePointsOfTheRangeAndNoOthers) {
  for (int64_t second = 0; second < 10'800; second += 600) {
    Put("h=a", second, second);
    Put("h=b", second, -second);
    if (second == 4800) {
      ASSERT_OK(tsdb_->maintenance().Seal());
    }
  }
  StoredPoints want = All();
  std::erase_if(want, [](const auto& point) {
    return point.first.first == "h=a" && point.first.second >= 3000 && point.first.second <= 7200;
  });

  EXPECT_THAT(tsdb_->points().DeletePoints(DeleteSpec(3000, 7200, {Host("a")})),
              IsOkAndHolds(DeletedPoints{.points = 8, .rows = 3}));
  EXPECT_EQ(All(), want);

  ASSERT_OK(tsdb_->maintenance().Compact());
  EXPECT_EQ(All(), want);
  Open(options_);
  EXPECT_EQ(All(), want);
}

TEST_P(PointDeleterTest, ARangeMayEndAfterTheLastTimestamp) {
  Put("h=a", 0, 1);
  ASSERT_OK(tsdb_->maintenance().Seal());
  Put("h=b", 10, 2);
  constexpr int64_t kAfterAllS = 9'999'999'999 - kHour;

  const auto after = tsdb_->points().DeletePoints(DeleteSpec(kAfterAllS - 10, kAfterAllS));
  const auto all = tsdb_->points().DeletePoints(DeleteSpec(1 - kHour, kAfterAllS));

  ASSERT_OK(after);
  EXPECT_EQ(after->points, 0U);
  ASSERT_OK(all);
  EXPECT_EQ(all->points, 2U);
  EXPECT_THAT(All(), IsEmpty());
}

TEST_P(PointDeleterTest, ARowWithoutPointsIsGone) {
  Put("h=a", 10, 1);
  Put("h=b", 10, 2);
  EXPECT_THAT(tsdb_->points().DeletePoints(DeleteSpec(10, 10, {Host("a")})),
              IsOkAndHolds(DeletedPoints{.points = 1, .rows = 1}));

  int rows = 0;
  ASSERT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow&) { return ++rows > 0; }));
  EXPECT_EQ(rows, 1);
  EXPECT_THAT(tsdb_->points().DeletePoints(DeleteSpec(10, 10, {Host("a")})),
              IsOkAndHolds(DeletedPoints{}));
}

TEST_P(PointDeleterTest, KeepsPrecisionAndKindOfWhatIsLeft) {
  ASSERT_OK(tsdb_->points().Put(
      OwnedPoint("m", "h=a", Timestamp{.ms = kHour * 1000 + 1500, .is_ms = true}, Value::Float(0.5))
          .view()));
  Put("h=a", 1, 300);
  ASSERT_OK(tsdb_->maintenance().Seal());
  const auto bytes = [this] {
    std::vector<std::string> rows;
    EXPECT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      rows.push_back(ToHex(row.qualifiers) + " " + ToHex(row.values));
      return true;
    }));
    return rows;
  };
  const std::vector<std::string> before = bytes();
  Put("h=a", 2, 5);

  ASSERT_OK(tsdb_->points().DeletePoints(DeleteSpec(2, 2)));
  EXPECT_EQ(bytes(), before);
}

TEST_P(PointDeleterTest, PointsThatArePutAgainAreThere) {
  Put("h=a", 10, 1);
  Put("h=a", 20, 2);
  ASSERT_OK(tsdb_->points().DeletePoints(DeleteSpec(0, 60)));
  EXPECT_THAT(All(), IsEmpty());
  Put("h=a", 20, 3);
  EXPECT_THAT(All(), ElementsAre(Pair(Pair("h=a", 20), 3)));
  ASSERT_OK(tsdb_->maintenance().Compact());
  EXPECT_THAT(All(), ElementsAre(Pair(Pair("h=a", 20), 3)));
}

// Nothing is sealed during a round, so memory and journal fill: a large deletion takes several.
TEST_P(PointDeleterTest, ManyRowsGoInRoundsBetweenWhichTheSealerHasItsTurn) {
  constexpr int kSeries = 340;
  constexpr int kHours = 200;
  std::vector<OwnedPoint> points;
  for (int hour = 0; hour < kHours; ++hour) {
    points.clear();
    for (int series = 0; series < kSeries; ++series)
      points.emplace_back("m", fmt::format("h={}", series), kHour - int64_t{hour} * 3600, series);
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    ASSERT_OK(tsdb_->points().Append(views, nullptr).Wait());
  }
  ASSERT_OK(tsdb_->maintenance().Flush());
  Counter* const checkpoints = tsdb_->stats().counter("journal.checkpoints");
  const uint64_t before = checkpoints->value();
  EXPECT_THAT(tsdb_->points().DeletePoints(DeleteSpec(1 - kHour, 3600)),
              IsOkAndHolds(DeletedPoints{.points = kSeries * kHours, .rows = kSeries * kHours}));
  EXPECT_GT(checkpoints->value() - before, 1u);
  EXPECT_LT(checkpoints->value() - before, 40u);
  int rows = 0;
  ASSERT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow&) { return ++rows > 0; }));
  EXPECT_EQ(rows, 0);
}

TEST_P(PointDeleterTest, PointsThatHaveExpiredAreNotCounted) {
  Put("h=a", 10, 1);
  Put("h=a", 1200, 2);
  ASSERT_OK(
      tsdb_->retention().SetMetricTtl("m", 1000));  // of the row the first point only has expired

  EXPECT_THAT(tsdb_->points().DeletePoints(DeleteSpec(0, 3599)),
              IsOkAndHolds(DeletedPoints{.points = 1, .rows = 1}));
  EXPECT_THAT(All(), IsEmpty());
}

TEST_P(PointDeleterTest, SelectsByEveryFilterByTsuidAndOverSubQueries) {
  for (const char* const host : {"h=a1", "h=a2", "h=b1", "h=c1"})
    Put(host, 10, 1);
  QuerySpec spec = DeleteSpec(0, 60, {{"h", FilterType::kWildcard, "a*", true}});
  spec.queries[0].rate = RateSpec();
  spec.queries[0].downsample = *ParseDownsampleSpec("1h-avg-zero");
  SubQuery& again = spec.queries.emplace_back();
  again.metric = "m";
  again.filters = {Host("a2")};
  spec.queries.emplace_back().tsuids = {"000001000001000003"};

  EXPECT_THAT(tsdb_->points().DeletePoints(spec),
              IsOkAndHolds(DeletedPoints{.points = 3, .rows = 3}));
  EXPECT_THAT(All(), ElementsAre(Key(Pair("h=c1", 10))));
}

TEST_P(PointDeleterTest, AnUnknownNameDeletesNothing) {
  Put("h=a", 10, 1);
  EXPECT_THAT(tsdb_->points().DeletePoints(DeleteSpec(0, 60, {Host("z")})),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("'tagv': 'z'")));
  QueryControl control;
  control.Cancel();
  EXPECT_THAT(All(), ElementsAre(Key(Pair("h=a", 10))));
}

// The journal still has segments, and the last block also has points that stay.
TEST_P(PointDeleterTest, NoReplayBringsDeletedPointsBack) {
  for (int64_t second = 0; second < 7200; second += 60)
    Put("h=a", second, second);
  ASSERT_OK(tsdb_->points().DeletePoints(DeleteSpec(60, 5000)));
  Put("h=a", 61, 7);
  const StoredPoints want = All();
  TempDir crashed;
  Options options = options_;
  options.path = CopyStore(options_.path, crashed);

  Open(options);
  EXPECT_EQ(All(), want);
}

// Lives as long as its read: points that the store kept in memory for it must not come back to
// others.
TEST_P(PointDeleterTest, AnOlderReadKeepsNothingVisible) {
  Put("h=a", 10, 1);
  Put("h=a", 20, 2);
  Put("h=a", 3610, 3);
  const auto rows_of = [this] {
    int rows = 0;
    EXPECT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow&) { return ++rows > 0; }));
    return rows;
  };
  const auto last_of = [this] {
    int64_t second = -1;
    EXPECT_OK(tsdb_->queries().LastPoints(
        {.queries = {{.metric = "m"}}},
        [&](const LastPoint& last) { second = last.ms / 1000 - kHour; }));
    return second;
  };
  int visited = 0;
  ASSERT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow&) {
    if (++visited > 1) return true;
    EXPECT_THAT(tsdb_->points().DeletePoints(DeleteSpec(20, 4000)),
                IsOkAndHolds(DeletedPoints{.points = 2, .rows = 2}));
    EXPECT_EQ(rows_of(), 1);
    EXPECT_EQ(last_of(), 10);
    return true;
  }));
  EXPECT_EQ(visited, 2) << "the older read sees what was there";
}

TEST_P(PointDeleterTest, PutsGoOnMeanwhile) {
  for (int64_t second = 0; second < 3600; second += 10)
    Put("h=old", second, 1);
  constexpr int64_t kMore = 300;
  std::jthread writer([this] {
    for (int64_t i = 0; i < kMore; ++i)
      ASSERT_OK(tsdb_->points().Put(OwnedPoint("m", "h=new", kHour + 7200 + i, i).view()));
  });
  for (int64_t second = 0; second < 3600; second += 600)
    ASSERT_OK(tsdb_->points().DeletePoints(DeleteSpec(second, second + 599)));
  writer.join();

  const StoredPoints points = All();
  EXPECT_EQ(points.size(), static_cast<size_t>(kMore));
  EXPECT_EQ(points.begin()->first.first, "h=new");
  TempDir crashed;
  Options options = options_;
  options.path = CopyStore(options_.path, crashed);
  Open(options);
  EXPECT_EQ(All(), points);
}

INSTANTIATE_TEST_SUITE_P(Stores,
                         PointDeleterTest,
                         testing::Values(std::pair(size_t{0}, CellEncoding::kPacked),
                                         std::pair(size_t{1}, CellEncoding::kPacked),
                                         std::pair(size_t{0}, CellEncoding::kOpenTsdb)),
                         [](const auto& param_info) {
                           return fmt::format(
                               "{}{}", param_info.param.first == 0 ? "NoSalt" : "Salt",
                               param_info.param.second == CellEncoding::kPacked ? "Packed"
                                                                                : "OpenTsdb");
                         });

// A process that is killed at a step of a deletion. The death test runs this program again, which
// finds the store by the environment.
class KilledDeletionTest : public testing::TestWithParam<std::string> {
 protected:
  static constexpr const char* kStoreVariable = "HOURCELL_TEST_DELETION_STORE";

  // Puts, and deletes all but the first two points and the last.
  static void PutAndDelete(const std::string& store) {
    setenv("HOURCELL_KILL_AT", GetParam().c_str(), 1);
    auto tsdb = Tsdb::Open(TinyOptions(store));
    if (!tsdb.ok()) std::exit(2);
    for (int64_t i = 0; i < 100; ++i) {
      if (!(*tsdb)->points().Put(OwnedPoint("m", "h=a", kHour + i * 100, i).view()).ok())
        std::exit(3);
    }
    const auto deleted = (*tsdb)->points().DeletePoints(DeleteSpec(200, 9899));
    std::exit(deleted.ok() ? 0 : 4);
  }
};

TEST_P(KilledDeletionTest, KeepsWhatIsNotToBeDeleted) {
#ifndef HOURCELL_KILL_POINTS
  GTEST_SKIP() << "built without HOURCELL_KILL_POINTS";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TempDir directory;
  if (std::getenv(kStoreVariable) == nullptr) {
    setenv(kStoreVariable, directory.file("store").c_str(), 1);
  }
  EXPECT_EXIT(PutAndDelete(std::getenv(kStoreVariable)), testing::KilledBySignal(SIGKILL), "");
  unsetenv(kStoreVariable);

  auto tsdb = Tsdb::Open(TinyOptions(directory.file("store")));
  ASSERT_OK(tsdb);
  const auto points = PointsOf(tsdb->get());
  ASSERT_OK(points);
  EXPECT_TRUE(points->contains({"h=a", 0}));
  EXPECT_TRUE(points->contains({"h=a", 100}));
  EXPECT_TRUE(points->contains({"h=a", 9900}));
  for (const auto& [point, value] : *points)
    EXPECT_EQ(value * 100, static_cast<double>(point.second));
  // The low mark makes it final.
  if (GetParam() == "checkpoint:low_mark" || GetParam() == "checkpoint:deleted") {
    EXPECT_EQ(points->size(), 3u);
  }

  ASSERT_OK((*tsdb)->points().DeletePoints(DeleteSpec(200, 9899)));
  const auto left = PointsOf(tsdb->get());
  ASSERT_OK(left);
  EXPECT_EQ(left->size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledDeletionTest,
                         testing::Values("change:sealed",
                                         "delete:rows_written",
                                         "change:done",
                                         "change:sealed_again",
                                         "checkpoint:flushed",
                                         "checkpoint:low_mark",
                                         "checkpoint:deleted"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           for (char& c : name) {
                             if (c == ':') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace hourcell::point_deleter_test
