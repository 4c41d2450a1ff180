#include "engine/write/sealer.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "engine/rocks/regions/region_backlog.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/key_range.h"
#include "engine/rows/series_key.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/paused_lsm_compactions.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::sealer_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::StartsWith;

constexpr int64_t kHour = 1356998400;

class SealerTest : public testing::Test {
 protected:
  SealerTest() {
    options_.clock = &clock_;
    options_.seal_in_background = false;
  }

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  absl::Status Put(OwnedPoint point) {
    if (tsdb_ == nullptr) Open();
    return tsdb_->points().Put(point.view());
  }

  int64_t Stat(std::string_view name, std::string_view type = "") {
    for (const StatSample& sample : tsdb_->stats().Snapshot()) {
      if (sample.name != name) continue;
      if (type.empty() || (!sample.tags.empty() && sample.tags[0].second == type)) {
        return sample.value;
      }
    }
    ADD_FAILURE() << "no stat " << name;
    return -1;
  }

  // "second after kHour" -> value, of series host=h.
  std::map<int64_t, double> Points(const std::string& host = "h") {
    QuerySpec spec =
        MakeQuery(Aggregator::kSum, "m", {{"host", FilterType::kLiteralOr, host, false}},
                  kHour - 86400, kHour + 2 * 86400);
    const auto result = tsdb_->queries().Query(spec);
    EXPECT_OK(result);
    std::map<int64_t, double> points;
    if (!result.ok()) return points;
    for (const ResultSeries& series : result->series) {
      for (const ResultPoint& point : series.points)
        points[point.ms / 1000 - kHour] = point.value.ToDouble();
    }
    return points;
  }

  std::vector<std::string> ScanHex() {
    std::vector<std::string> lines;
    EXPECT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      lines.push_back(ToHex(row.key) + " " + ToHex(row.qualifiers) + " " + ToHex(row.values));
      return true;
    }));
    return lines;
  }

  TempDir directory_;
  ManualClock clock_{kHour * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(SealerTest, AnHourIsSealedOnceItIsOverAndUntouchedForTheGraceTime) {
  ASSERT_OK(Put({"m", "host=h", kHour, 1}));
  ASSERT_OK(Put({"m", "host=h", kHour + 3599, 2}));
  const auto before = Points();
  const auto bytes = ScanHex();

  clock_.Set((kHour + 3600 + options_.seal_grace_s - 1) * 1000);
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("hours.open"), 1) << "the grace time is not over";

  ASSERT_OK(Put({"m", "host=h", kHour + 10, 3}));  // late, and the hour is touched
  clock_.Advance(1000);
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("hours.open"), 1) << "the hour was touched";

  clock_.Advance(options_.seal_grace_s * 1000);
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("hours.open"), 0);
  EXPECT_EQ(Stat("hours.bytes"), 0);
  EXPECT_EQ(Stat("seal.hours", "all"), 1);
  EXPECT_EQ(Points(), (std::map<int64_t, double>{{0, 1}, {10, 3}, {3599, 2}}));
}

TEST_F(SealerTest, SealingChangesNoAnswerAndNoByte) {
  for (const CellEncoding encoding : {CellEncoding::kPacked, CellEncoding::kOpenTsdb}) {
    options_.cell_encoding = encoding;
    options_.path = fmt::format("{}/{}", directory_.path(), static_cast<int>(encoding));
    Open();
    Random random(7);
    for (int i = 0; i < 300; ++i) {
      const auto second = static_cast<int64_t>(random.Below(3 * 3600));
      const std::string tags = fmt::format("host=h{}", random.Below(3));
      ASSERT_OK(Put({"m", tags, kHour + second, static_cast<int64_t>(random.Below(1000))}));
    }
    const std::vector<std::string> open = ScanHex();
    const auto points = Points("h1");
    ASSERT_THAT(open, SizeIs(9));
    ASSERT_OK(tsdb_->maintenance().Seal());
    EXPECT_EQ(ScanHex(), open);
    EXPECT_EQ(Points("h1"), points);
    ASSERT_OK(tsdb_->maintenance().Compact());
    EXPECT_EQ(ScanHex(), open);
    EXPECT_EQ(Points("h1"), points);
  }
}

TEST_F(SealerTest, LatePointsOfASealedHourWin) {
  ASSERT_OK(Put({"m", "host=h", kHour, 1}));
  ASSERT_OK(Put({"m", "host=h", kHour + 5, 1}));
  ASSERT_OK(tsdb_->maintenance().Seal());
  ASSERT_OK(Put({"m", "host=h", kHour, 2}));
  EXPECT_EQ(Points(), (std::map<int64_t, double>{{0, 2}, {5, 1}}));
  const std::vector<std::string> rows = ScanHex();
  EXPECT_THAT(rows, SizeIs(1));
  ASSERT_OK(tsdb_->maintenance().Seal());
  EXPECT_EQ(Points(), (std::map<int64_t, double>{{0, 2}, {5, 1}}));
  EXPECT_EQ(ScanHex(), rows);
}

TEST_F(SealerTest, AQueryMissesNothingWhileHoursAreSealedUnderIt) {
  constexpr int64_t kPoints = 400;
  ASSERT_OK(Put({"m", "host=h", kHour, 0}));
  std::atomic<int64_t> acknowledged{1};
  std::thread writer([&] {
    for (int64_t i = 1; i < kPoints; ++i) {
      EXPECT_OK(Put({"m", "host=h", kHour + i * 9, i}));
      acknowledged = i + 1;
    }
  });
  std::thread sealer([&] {
    while (acknowledged < kPoints)
      EXPECT_OK(tsdb_->maintenance().Seal());
  });
  while (acknowledged < kPoints) {
    const int64_t want = acknowledged;
    const auto points = Points();
    ASSERT_GE(static_cast<int64_t>(points.size()), want);
    for (const auto& [second, value] : points)
      ASSERT_EQ(static_cast<double>(second), value * 9);
  }
  writer.join();
  sealer.join();
  EXPECT_THAT(Points(), SizeIs(kPoints));
}

TEST_F(SealerTest, MemoryStaysBelowItsLimit) {
  options_.open_hours_bytes = 64 << 10;
  Open();
  for (int i = 0; i < 4000; ++i) {
    ASSERT_OK(Put({"m", fmt::format("host=h{}", i % 500), kHour + i, i}));
    ASSERT_LE(Stat("hours.bytes"), 65 << 10);
  }
  EXPECT_GT(Stat("seal.hours", "early"), 0);
  EXPECT_EQ(Points("h7").size(), 8u);
}

TEST_F(SealerTest, TheJournalStaysBelowItsLimit) {
  options_.journal_segment_bytes = 4 << 10;
  options_.journal_bytes = 32 << 10;
  Open();
  for (int i = 0; i < 3000; ++i) {
    ASSERT_OK(Put({"m", fmt::format("host=h{}", i % 10), kHour + i, i}));
    if (i % 100 == 0) {
      ASSERT_OK(tsdb_->maintenance().SealDue());
    }
    ASSERT_LE(Stat("journal.bytes"), 36 << 10);
  }
  EXPECT_GT(Stat("journal.checkpoints"), 0);
  EXPECT_EQ(Points("h7").size(), 300u);
  Open();
  EXPECT_EQ(Points("h7").size(), 300u);
}

TEST_F(SealerTest, WhatNeedsAnOldBlockIsSealedEarly) {
  options_.journal_age_s = 3600;
  ASSERT_OK(Put({"m", "host=h", kHour + 86400, 1}));  // a day in the future
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("hours.open"), 1);
  clock_.Advance((options_.journal_age_s + 1) * 1000);
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("hours.open"), 0);
  EXPECT_EQ(Points(), (std::map<int64_t, double>{{86400, 1}}));
}

// Damage: the row that names series 1 to 63 is gone.
TEST_F(SealerTest, AnHourWithoutItsSeriesIsSetAsideAndTheOthersAreSealed) {
  const auto put = [this](int host, int64_t second, int64_t value) {
    return Put({"m", fmt::format("host=h{}", host), kHour + second, value});
  };
  Open();
  for (int host = 1; host <= 100; ++host)
    ASSERT_OK(put(host, 0, host));
  ASSERT_OK(tsdb_->Close());
  {
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    ASSERT_OK(tables);
    const std::string row = SeriesNumberKey(0);
    const auto before = (*tables)->Snapshot()->Get(TableId::kSeries, row);
    ASSERT_OK(before);
    ASSERT_TRUE(before->has_value()) << "the row of the first numbers is written by the close";
    const Mutation gone{TableId::kSeries, Mutation::Kind::kDelete, row, {}};
    ASSERT_OK((*tables)->Apply(std::span(&gone, 1), /*sync=*/true));
    ASSERT_OK((*tables)->Close());
  }
  Open();
  ASSERT_OK(put(1, 60, 7));
  ASSERT_OK(put(1, 61, 8));
  ASSERT_OK(put(90, 60, 9));
  EXPECT_FALSE(tsdb_->queries().Scan({}, [](const ScannedRow&) { return true; }).ok())
      << "a scan says that a series is missing";
  ASSERT_OK(tsdb_->maintenance().Seal());
  EXPECT_EQ(Stat("hours.open"), 0);
  EXPECT_EQ(Stat("seal.set_aside", "hours"), 1);
  EXPECT_EQ(Stat("seal.set_aside", "points"), 2);
  EXPECT_EQ(Stat("seal.errors"), 0);
  EXPECT_EQ(Points("h90"), (std::map<int64_t, double>{{0, 90}, {60, 9}}));
  ASSERT_OK(tsdb_->Close());

  const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
  ASSERT_OK(tables);
  std::vector<std::string> cells;
  const auto add = [&](std::string_view key, std::string_view cell) {
    EXPECT_THAT(std::string(key), StartsWith(fmt::format("aside/1/{}/", kHour)));
    cells.emplace_back(cell);
    return true;
  };
  ASSERT_OK((*tables)->Snapshot()->Scan(TableId::kSystem, PrefixRange("aside/"), add));
  ASSERT_THAT(cells, SizeIs(1));
  CellColumns columns;
  ASSERT_OK(DecodeCell(cells[0], &columns));
  EXPECT_THAT(columns.offset_ms, ElementsAre(60'000u, 61'000u));
}

TEST_F(SealerTest, ADayOfHoursEndsAsOneCellARow) {
  constexpr int kHosts = 20;
  constexpr int64_t kStep = 300;
  Open();
  std::map<std::string, std::string> by_encoding;
  int64_t bytes_max = 0;
  for (int64_t second = 0; second < 86400; second += kStep) {
    clock_.Set((kHour + second) * 1000);
    for (int host = 0; host < kHosts; ++host) {
      ASSERT_OK(Put({"m", fmt::format("host=h{}", host), kHour + second, host + second}));
    }
    ASSERT_OK(tsdb_->maintenance().SealDue());
    bytes_max = std::max(bytes_max, Stat("hours.bytes"));
  }
  EXPECT_LE(Stat("hours.open"), 2 * kHosts);
  EXPECT_EQ(Stat("seal.hours", "early"), 0);
  EXPECT_EQ(Stat("seal.hours", "all"), 23 * kHosts) << "each hour was sealed once";
  const std::vector<std::string> rows = ScanHex();
  EXPECT_THAT(rows, SizeIs(24 * kHosts));

  // The same points at once, by another store that keeps OpenTSDB's cells.
  options_.path = directory_.path() + "/other";
  options_.cell_encoding = CellEncoding::kOpenTsdb;
  Open();
  for (int64_t second = 0; second < 86400; second += kStep) {
    for (int host = 0; host < kHosts; ++host) {
      ASSERT_OK(Put({"m", fmt::format("host=h{}", host), kHour + second, host + second}));
    }
  }
  ASSERT_OK(tsdb_->maintenance().Flush());
  EXPECT_EQ(ScanHex(), rows);
}

// A back-fill is sealed by days, live points hour by hour: the rows are the same.
TEST_F(SealerTest, RowsDoNotDependOnTheHoursThatAreSealedTogether) {
  constexpr int64_t kHours = 50;
  std::vector<std::string> rows[2];
  for (size_t by_hour = 0; by_hour < 2; ++by_hour) {
    options_.path = fmt::format("{}/store{}", directory_.path(), by_hour);
    Open();
    for (int64_t hour = 0; hour < kHours; ++hour) {
      // One series has too many points for a row of the day in some hours.
      for (int64_t second = 0; second < 3600; second += hour % 7 == 0 ? 10 : 600)
        ASSERT_OK(Put({"m", "host=h0", kHour + hour * 3600 + second, hour + second}));
      for (int host = 1; host < 4; ++host)
        ASSERT_OK(Put({"m", fmt::format("host=h{}", host), kHour + hour * 3600, hour}));
      if (by_hour == 1) {
        ASSERT_OK(tsdb_->maintenance().Seal());
      }
    }
    ASSERT_OK(tsdb_->maintenance().Flush());
    EXPECT_EQ(Stat("seal.hours", "all"), 4 * kHours);
    rows[by_hour] = ScanHex();
    EXPECT_THAT(rows[by_hour], SizeIs(4 * kHours));
    // A late point goes to the row that has its hour.
    ASSERT_OK(Put({"m", "host=h0", kHour, 1}));
    ASSERT_OK(Put({"m", "host=h0", kHour + 3600, 2}));
    ASSERT_OK(tsdb_->maintenance().Flush());
    const std::map<int64_t, double> points = Points("h0");
    EXPECT_EQ(points.at(0), 1);
    EXPECT_EQ(points.at(3600), 2);
  }
  EXPECT_EQ(rows[0], rows[1]);
}

// Hours of a region that lags stay open, in order; those of others are sealed.
TEST_F(SealerTest, ARegionThatLagsHoldsUpNoOther) {
  if (!PausedLsmCompactions::kWorks) GTEST_SKIP() << "not under ThreadSanitizer";
  options_.presplit = R"(keys:\x00\x00\x02)";
  const auto put = [&](const std::string& metric, int64_t second, int64_t value) {
    return Put({metric, "host=h", kHour + second, value});
  };
  ASSERT_OK(put("lagging", 0, 0));
  ASSERT_OK(put("other", 0, 0));
  std::optional<PausedLsmCompactions> paused(std::in_place);
  // The first hour is not over for long enough when it is looked at.
  for (uint64_t i = 0; i <= RegionBacklog::kYoungFilesMax; ++i) {
    ASSERT_OK(put("lagging", 1, static_cast<int64_t>(i)));
    // The hour is sealed, and later its cell flushed.
    for (const int64_t later_s : {3600, 301}) {
      clock_.Advance(later_s * 1000);
      ASSERT_OK(tsdb_->maintenance().SealDue());
    }
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (const char* const metric : {"lagging", "other"})
    ASSERT_OK(put(metric, 2, 7));
  clock_.Advance(10 * 3600 * 1000);
  const int64_t before = Stat("seal.hours", "all");
  for (int round = 0; round < 3; ++round)
    ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("seal.hours", "all"), before + 1);
  EXPECT_GE(Stat("seal.put_off"), 1);

  // Of one instant the later value counts, whatever became of the hour meanwhile.
  ASSERT_OK(put("lagging", 2, 8));
  clock_.Advance(10 * 3600 * 1000);
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("seal.hours", "all"), before + 1);
  paused.reset();
  for (int i = 0; i < 2000 && Stat("seal.hours", "all") == before + 1; ++i) {
    clock_.Advance(2000);
    ASSERT_OK(tsdb_->maintenance().SealDue());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(Stat("seal.hours", "all"), before + 2);
  for (const char* const metric : {"lagging", "other"}) {
    const auto result =
        tsdb_->queries().Query(MakeQuery(Aggregator::kSum, metric, {}, kHour + 2, kHour + 2));
    ASSERT_OK(result);
    ASSERT_EQ(result->series.size(), 1u);
    EXPECT_EQ(result->series[0].points.at(0).value.ToDouble(), metric[0] == 'l' ? 8 : 7);
  }
}

// Hours that are not sealed by then wait in the journal.
TEST_F(SealerTest, AStoreThatClosesSealsForALimitedTimeAndLosesNothing) {
  // Each look at the clock takes a second.
  class SlowClock : public ManualClock {
   public:
    using ManualClock::ManualClock;
    int64_t MonotonicMs() override {
      Advance(1000);
      return ManualClock::MonotonicMs();
    }
  } clock(kHour * 1000);
  constexpr int64_t kHours = 8000;
  options_.clock = &clock;
  Open();
  for (int64_t hour = 0; hour < kHours; ++hour)
    ASSERT_OK(Put({"m", "host=h", kHour + hour * 3600, 1}));
  ASSERT_OK(tsdb_->Close());
  EXPECT_GT(Stat("seal.hours", "all"), 0);
  EXPECT_LT(Stat("seal.hours", "all"), kHours);

  options_.clock = &clock_;
  Open();
  EXPECT_GT(Stat("journal.replayed_points"), 0);
  const auto result =
      tsdb_->queries().Query(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + kHours * 3600));
  ASSERT_OK(result);
  EXPECT_THAT(result->series.at(0).points, SizeIs(kHours));
  ASSERT_OK(tsdb_->Close());
  EXPECT_EQ(Stat("seal.hours", "all"), Stat("journal.replayed_points"));
}

TEST_F(SealerTest, SealingAllSaysHowFarItIsAndEndsWhenItIsCancelled) {
  constexpr int64_t kHours = 5000;
  Open();
  for (int64_t hour = 0; hour < kHours; ++hour)
    ASSERT_OK(Put({"m", "host=h", kHour + hour * 3600, 1}));
  const auto open_hours = [&] { return Stat("hours.open"); };

  std::atomic<bool> cancelled{false};
  std::vector<uint64_t> done;
  SealControl control{.cancelled = &cancelled, .progress = [&](uint64_t sealed, uint64_t total) {
                        EXPECT_EQ(total, static_cast<uint64_t>(kHours));
                        done.push_back(sealed);
                        if (done.size() == 3) cancelled = true;
                      }};
  EXPECT_THAT(
      tsdb_->maintenance().Flush(control),
      StatusIs(absl::StatusCode::kCancelled, testing::HasSubstr("2952 hours are still open")));
  EXPECT_THAT(done, testing::ElementsAre(0, 1024, 2048));
  EXPECT_EQ(open_hours(), kHours - 2048);
  EXPECT_GT(Stat("journal.bytes"), 0);

  const auto count = [&] {
    const auto result =
        tsdb_->queries().Query(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + kHours * 3600));
    return result.ok() ? result->series.at(0).points.size() : 0;
  };
  EXPECT_EQ(count(), static_cast<size_t>(kHours));
  done.clear();
  cancelled = false;
  control.progress = [&](uint64_t sealed, uint64_t) { done.push_back(sealed); };
  EXPECT_OK(tsdb_->maintenance().Seal(control));
  EXPECT_THAT(done, testing::ElementsAre(0, 1024, 2048, 2952));
  EXPECT_EQ(open_hours(), 0);
  EXPECT_EQ(count(), static_cast<size_t>(kHours));
}

// A query that is under way from its construction to its end.
class SlowQuery {
 public:
  explicit SlowQuery(Tsdb* tsdb) : thread_([this, tsdb] { Run(tsdb); }) { sink_.begun.acquire(); }
  ~SlowQuery() {
    sink_.may_end.release();
    thread_.join();
  }

 private:
  struct Sink : QuerySink {
    absl::Status OnBegin(std::span<const Annotation> /*global_annotations*/) override {
      begun.release();
      may_end.acquire();
      return absl::OkStatus();
    }
    absl::Status OnSeries(const SeriesView& /*series*/) override { return absl::OkStatus(); }
    std::binary_semaphore begun{0};
    std::binary_semaphore may_end{0};
  };

  void Run(Tsdb* tsdb) {
    QueryControl control;
    EXPECT_OK(tsdb->queries().Query(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 10), &sink_,
                                    &control));
  }

  Sink sink_;
  std::thread thread_;
};

TEST_F(SealerTest, ABackFillBesideQueriesThatNeverEndTogetherFreesItsHours) {
  constexpr int kRounds = 50;
  constexpr int kHosts = 10;
  options_.open_hours_bytes = 256 << 10;
  ASSERT_OK(Put({"m", "host=h0", kHour, 1}));
  std::deque<std::unique_ptr<SlowQuery>> queries;
  for (int round = 0; round < kRounds; ++round) {
    // One query begins before each half of a seal, and one ends; two are always under way.
    for (int half = 0; half < 2; ++half) {
      queries.push_back(std::make_unique<SlowQuery>(tsdb_.get()));
      for (int host = half; host < kHosts; host += 2 - half)
        ASSERT_OK(Put({"m", fmt::format("host=h{}", host), kHour + round * 3600, round}));
      ASSERT_OK(tsdb_->maintenance().Seal());
      if (queries.size() > 2) queries.pop_front();
      ASSERT_OK(tsdb_->maintenance().SealDue());
    }
    ASSERT_LE(Stat("hours.bytes"), 32 << 10) << "in round " << round;
  }
  EXPECT_GT(Stat("hours.bytes"), 0) << "what the last queries need";
  queries.clear();
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("hours.bytes"), 0);
  EXPECT_EQ(Stat("hours.series"), 0);
}

// The clock is set forward: recent points are not sealed because of that, a series after another.
TEST_F(SealerTest, AStepOfTheClockForwardSealsNoHourThatIsInUse) {
  ASSERT_OK(Put({"m", "host=h", kHour, 1}));
  clock_.StepWall(86'400'000);
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("hours.open"), 1) << "it was touched just now";
  clock_.Advance(options_.seal_grace_s * 1000);
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("hours.open"), 0);
}

TEST_F(SealerTest, AStepOfTheClockBackHoldsUpNoSealing) {
  ASSERT_OK(Put({"m", "host=h", kHour, 1}));
  clock_.Advance(3600 * 1000);
  clock_.StepWall(-5 * 86'400'000);
  ASSERT_OK(Put({"m", "host=i", kHour - 5 * 86400, 2}));
  clock_.Advance((3600 + options_.seal_grace_s) * 1000);
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("hours.open"), 0) << "the one of the wrong time and the one of the right";

  // The set wait of a round is not exceeded, although the clock steps back.
  ASSERT_OK(Put({"m", "host=h", kHour - 5 * 86400 + 7200, 3}));
  EXPECT_EQ(Stat("journal.checkpoints"), 0);
  clock_.StepWall(-86'400'000);
  clock_.Advance(301 * 1000);
  ASSERT_OK(tsdb_->maintenance().SealDue());
  EXPECT_EQ(Stat("journal.checkpoints"), 1) << "cells wait five minutes for their flush";
}

}  // namespace
}  // namespace hourcell::sealer_test
