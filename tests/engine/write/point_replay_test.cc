#include "engine/write/point_replay.h"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rocksdb/env.h>

#include "codec/base/random.h"
#include "engine/fsck_admin.h"
#include "engine/journal/journal_block.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/system_table.h"
#include "engine/tsdb.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::point_replay_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;
constexpr int kHosts = 5;

using Model = std::map<std::pair<std::string, int64_t>, int64_t>;

class PointReplayTest : public testing::Test {
 protected:
  static std::unique_ptr<Tsdb> Open(const Options& options) {
    auto opened = Tsdb::Open(options);
    EXPECT_OK(opened);
    return opened.ok() ? *std::move(opened) : nullptr;
  }

  // Puts a batch of random points and waits for it.
  static absl::Status PutSome(Tsdb* tsdb, Random* random, size_t size, Model* model) {
    std::vector<OwnedPoint> points;
    for (size_t i = 0; i < size; ++i) {
      const std::string host = fmt::format("h{}", random->Below(kHosts));
      const auto second = static_cast<int64_t>(random->Below(3 * 3600));
      const auto value = static_cast<int64_t>(random->Below(1000));
      points.emplace_back("m", "host=" + host, kHour + second, value);
      (*model)[{host, second}] = value;
    }
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    return tsdb->points().Append(views, nullptr).Wait();
  }

  static Model ReadAll(Tsdb* tsdb) {
    Model found;
    const auto result =
        tsdb->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 4 * 3600));
    if (absl::IsNotFound(result.status())) return found;
    EXPECT_OK(result);
    if (!result.ok()) return found;
    for (const ResultSeries& series : result->series) {
      for (const ResultPoint& point : series.points) {
        found[{series.tags.at(0).second, point.ms / 1000 - kHour}] = point.value.integer();
      }
    }
    return found;
  }

  TempDir directory_;
  TempDir copies_;
  Options options_ = TinyOptions(directory_.path() + "/store");
};

TEST_F(PointReplayTest, WhatWasAcknowledgedIsThereAfterACrash) {
  options_.seal_in_background = false;
  const auto fs = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env = NewRestlessEnv(fs);
  options_.env = env.get();
  Random random(1);
  Model model;
  auto tsdb = Open(options_);
  for (int round = 0; round < (kIsThreadSanitized ? 4 : 8); ++round) {
    ASSERT_OK(PutSome(tsdb.get(), &random, 50, &model));
    // Cells that are in the journal too, cells that are flushed, and hours that are open.
    if (round % 4 == 1) {
      ASSERT_OK(tsdb->maintenance().Seal());
    }
    if (round % 4 == 3) {
      ASSERT_OK(tsdb->maintenance().Flush());
    }
    // Nothing that the dying store still does gets to the files.
    fs->FailOn({.is_lasting = true});
    tsdb.reset();
    fs->Heal();
    tsdb = Open(options_);
    ASSERT_NE(tsdb, nullptr);
    ASSERT_EQ(ReadAll(tsdb.get()), model) << "round " << round;
  }
}

TEST_F(PointReplayTest, AReplayTwiceGivesTheSame) {
  options_.seal_in_background = false;
  Random random(2);
  Model model;
  const auto tsdb = Open(options_);
  ASSERT_OK(PutSome(tsdb.get(), &random, 200, &model));
  Options copy = options_;
  copy.path = CopyStore(options_.path, copies_);
  for (int i = 0; i < 2; ++i) {
    const auto again = Open(copy);
    ASSERT_NE(again, nullptr);
    ASSERT_OK(again->maintenance().Seal());
    TempDir second;
    Options second_copy = copy;
    second_copy.path = CopyStore(copy.path, second);
    ASSERT_EQ(ReadAll(Open(second_copy).get()), model);
  }
}

TEST_F(PointReplayTest, HoursThatOutgrowTheirMemoryAreSealedOnTheWay) {
  options_.seal_in_background = false;
  Random random(3);
  Model model;
  const auto tsdb = Open(options_);
  for (int i = 0; i < 40; ++i)
    ASSERT_OK(PutSome(tsdb.get(), &random, 1000, &model));
  Options copy = options_;
  copy.path = CopyStore(options_.path, copies_);
  copy.open_hours_bytes = 64 << 10;
  const auto again = Open(copy);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(ReadAll(again.get()), model);
}

TEST_F(PointReplayTest, AnyNumberOfLanesReadsWhatAnyOtherWrote) {
  options_.seal_in_background = false;
  for (const size_t written : {1u, 6u, 16u}) {
    Options options = options_;
    options.path = directory_.path() + fmt::format("/store{}", written);
    options.lanes = written;
    Random random(written);
    Model model;
    const auto tsdb = Open(options);
    for (int i = 0; i < 20; ++i)
      ASSERT_OK(PutSome(tsdb.get(), &random, 100, &model));
    for (const size_t lanes : {1u, 2u, 3u, 4u, 5u, 8u, 16u}) {
      SCOPED_TRACE(fmt::format("{} lanes, written with {}", lanes, written));
      TempDir copies;
      Options copy = options;
      copy.path = CopyStore(options.path, copies);
      copy.lanes = lanes;
      const auto again = Open(copy);
      ASSERT_NE(again, nullptr);
      EXPECT_EQ(ReadAll(again.get()), model);
      ASSERT_OK(PutSome(again.get(), &random, 10, &model));
      EXPECT_EQ(ReadAll(again.get()), model);
      model = ReadAll(tsdb.get());
    }
  }
}

// Power loss at any moment: synced points are found, and whatever else is found was put.
TEST_F(PointReplayTest, APowerLossKeepsWhatWasSynced) {
  for (uint64_t seed = 1; seed <= (kIsThreadSanitized ? 2 : 5); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    TempDir directory;
    const auto fs = std::make_shared<FaultFs>();
    const std::unique_ptr<rocksdb::Env> env = NewRestlessEnv(fs);
    Options options = TinyOptions(directory.path() + "/store");
    options.env = env.get();
    options.journal_segment_bytes = 4 << 10;
    options.journal_bytes = 64 << 10;
    options.seal_in_background = false;
    options.sync = random.Below(2) == 0 ? Durability::kAlways : Durability::kNever;
    Model synced;
    Model put;
    for (int life = 0; life < 3; ++life) {
      auto tsdb = Open(options);
      ASSERT_NE(tsdb, nullptr);
      const Model found = ReadAll(tsdb.get());
      for (const auto& [key, value] : synced) {
        ASSERT_TRUE(found.contains(key)) << key.first << " " << key.second;
      }
      for (const auto& [key, value] : found)
        ASSERT_TRUE(put.contains(key)) << key.first << " " << key.second;
      put = found;
      synced = found;
      for (uint64_t i = 0; i < random.Below(12); ++i) {
        ASSERT_OK(PutSome(tsdb.get(), &random, 1 + random.Below(30), &put));
        if (options.sync == Durability::kAlways) synced = put;
        switch (random.Below(5)) {
          case 0:
            ASSERT_OK(tsdb->maintenance().Seal());
            break;
          case 1:
            ASSERT_OK(tsdb->maintenance().Flush());
            synced = put;
            break;
          default:
            break;
        }
      }
      // The process ends with the power: the closing store can change nothing any more.
      fs->FailOn({.is_lasting = true});
      tsdb.reset();
      fs->Heal();
      fs->LoseUnsynced(seed * 10 + static_cast<uint64_t>(life));
    }
  }
}

TEST_F(PointReplayTest, ASeriesThatOnlyTheJournalHasIsMadeAgain) {
  // The tables of a store without the series, the journal of one with it.
  {
    const auto tsdb = Open(options_);
    OwnedPoint other("m", "host=h1", kHour, 1);
    ASSERT_OK(tsdb->points().Put(other.view()));
    ASSERT_OK(tsdb->Close());
  }
  const std::string old_tables = CopyStore(options_.path + "/db", copies_);
  TempDir crashed;
  std::string copy;
  {
    const auto tsdb = Open(options_);
    OwnedPoint added("m2", "host=h2 dc=x", kHour, 42);
    ASSERT_OK(tsdb->points().Put(added.view()));
    copy = CopyStore(options_.path, crashed);
  }
  std::filesystem::remove_all(copy + "/db");
  std::filesystem::copy(old_tables, copy + "/db", std::filesystem::copy_options::recursive);
  options_.path = copy;
  const auto tsdb = Open(options_);
  ASSERT_NE(tsdb, nullptr);
  const auto result = tsdb->queries().Query(MakeQuery(
      Aggregator::kSum, "m2", {{"dc", FilterType::kLiteralOr, "x", false}}, kHour, kHour + 10));
  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 1u);
  EXPECT_EQ(result->series[0].points.at(0).value, Value::Integer(42));
  const auto checked = tsdb->names().CheckUids(/*repair=*/false);
  ASSERT_OK(checked);
  EXPECT_EQ(checked->errors, 0u);
}

// A copy of the files of a store in use is as after kill -9: it lacks RocksDB's memory, which has
// the rows by which series are found.
TEST_F(PointReplayTest, SeriesAreFoundByTheirTagsAfterAKill) {
  constexpr int kSeries = 300;
  const auto tsdb = Open(options_);
  for (int i = 0; i < kSeries; ++i) {
    OwnedPoint point("m", fmt::format("host=h{} dc=d{}", i, i % 2), kHour, i);
    ASSERT_OK(tsdb->points().Put(point.view()));
    if (i == 100) {
      ASSERT_OK(tsdb->maintenance().Flush());
    }
    if (i == 200) {
      ASSERT_OK(tsdb->maintenance().Seal());  // rows go to RocksDB's memory, and are lost
    }
  }
  options_.path = CopyStore(options_.path, copies_);
  for (int life = 0; life < 2; ++life) {
    const auto copy = Open(options_);
    ASSERT_NE(copy, nullptr);
    const auto all =
        copy->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 10));
    ASSERT_OK(all);
    EXPECT_EQ(all->series.size(), size_t{kSeries});
    const auto half = copy->queries().Query(MakeQuery(
        Aggregator::kNone, "m", {{"dc", FilterType::kLiteralOr, "d1", false}}, kHour, kHour + 10));
    ASSERT_OK(half);
    EXPECT_EQ(half->series.size(), size_t{kSeries / 2});
    // None is made a second time.
    for (int i = 0; i < kSeries; ++i) {
      OwnedPoint point("m", fmt::format("host=h{} dc=d{}", i, i % 2), kHour + 1, i);
      ASSERT_OK(copy->points().Put(point.view()));
    }
    for (const StatSample& sample : copy->stats().Snapshot()) {
      if (sample.name != "series.created") continue;
      EXPECT_EQ(sample.value, 0);
    }
    ASSERT_OK(copy->Close());
  }
}

// The tables without any series, and a journal whose lanes define them in no order.
TEST_F(PointReplayTest, ManySeriesThatOnlyTheJournalHasAreMadeAgain) {
  constexpr int kSeries = 500;
  options_.lanes = 8;
  ASSERT_OK(Open(options_)->Close());
  const std::string old_tables = CopyStore(options_.path + "/db", copies_);
  TempDir crashed;
  std::string copy;
  {
    const auto tsdb = Open(options_);
    std::vector<OwnedPoint> points;
    for (int i = 0; i < kSeries; ++i)
      points.emplace_back("m", fmt::format("host=h{} dc=d{}", i, i % 2), kHour, i);
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    ASSERT_OK(tsdb->points().Append(views, nullptr).Wait());
    copy = CopyStore(options_.path, crashed);
  }
  std::filesystem::remove_all(copy + "/db");
  std::filesystem::copy(old_tables, copy + "/db", std::filesystem::copy_options::recursive);
  options_.path = copy;
  for (int life = 0; life < 2; ++life) {
    const auto tsdb = Open(options_);
    ASSERT_NE(tsdb, nullptr);
    ASSERT_OK(tsdb->maintenance().Seal());
    const auto half = tsdb->queries().Query(MakeQuery(
        Aggregator::kNone, "m", {{"dc", FilterType::kLiteralOr, "d1", false}}, kHour, kHour + 10));
    ASSERT_OK(half);
    EXPECT_EQ(half->series.size(), size_t{kSeries / 2});
    const auto checked = tsdb->names().CheckUids(/*repair=*/false);
    ASSERT_OK(checked);
    EXPECT_EQ(checked->errors, 0u);
    ASSERT_OK(tsdb->Close());
  }
}

// The tables without any series, as after a power loss, and a journal whose second block, which
// defines a series, is damaged: a later point of that series is not another series'.
TEST_F(PointReplayTest, PointsOfASeriesWhoseDefinitionIsLostAreSetAside) {
  options_.sync = Durability::kNever;
  options_.seal_in_background = false;
  ASSERT_OK(Open(options_)->Close());
  const std::string old_tables = CopyStore(options_.path + "/db", copies_);
  TempDir crashed;
  TempDir killed;
  TempDir again;
  std::string copy;
  {
    const auto tsdb = Open(options_);
    for (const auto& [host, second] : {std::pair("host=h1", 0), {"host=h2", 0}, {"host=h2", 1}})
      ASSERT_OK(tsdb->points().Put(OwnedPoint("m", host, kHour + second, 42).view()));
    copy = CopyStore(options_.path, crashed);
  }
  std::filesystem::remove_all(copy + "/db");
  std::filesystem::copy(old_tables, copy + "/db", std::filesystem::copy_options::recursive);
  std::string segment;
  for (const auto& entry : std::filesystem::directory_iterator(copy + "/journal"))
    if (entry.path().extension() == ".log") segment = entry.path().string();
  const std::string bytes = ReadFile(segment);
  Damage(segment, kSegmentHeaderBytes +
                      *JournalBlockBytes(std::string_view(bytes).substr(kSegmentHeaderBytes)) + 30);
  options_.path = copy;
  for (int life = 0; life < 2; ++life) {
    SCOPED_TRACE(life);
    const auto tsdb = Open(options_);
    ASSERT_NE(tsdb, nullptr);
    EXPECT_EQ(ReadAll(tsdb.get()), (Model{{{"h1", 0}, 42}}));
    const auto report = tsdb->maintenance().fsck()->Check({});
    ASSERT_OK(report);
    EXPECT_EQ(report->counts.at(FsckFault::kCut), 1u);
    EXPECT_EQ(report->counts.at(FsckFault::kJournal), 1u) << "a point of a series";
    // As a kill would leave it: the block stays in the journal until its hour is sealed.
    options_.path = CopyStore(options_.path, life == 0 ? killed : again);
  }
  const auto tsdb = Open(options_);
  ASSERT_NE(tsdb, nullptr);
  ASSERT_OK(tsdb->points().Put(OwnedPoint("m", "host=h3", kHour + 7, 7).view()));
  ASSERT_OK(tsdb->maintenance().Flush());
  EXPECT_EQ(ReadAll(tsdb.get()), (Model{{{"h1", 0}, 42}, {{"h3", 7}, 7}}));
  const auto report = tsdb->maintenance().fsck()->Check({});
  ASSERT_OK(report);
  EXPECT_EQ(report->counts.at(FsckFault::kAside), 1u);
}

TEST_F(PointReplayTest, AJournalThatNamesAnUnknownSeriesIsRefused) {
  options_.journal_segment_bytes = 4 << 10;
  options_.journal_bytes = 64 << 10;
  {
    Random random(4);
    Model model;
    const auto tsdb = Open(options_);
    // The segment with the definitions goes with the flush, as the tables are synced by then.
    for (int i = 0; i < 10; ++i)
      ASSERT_OK(PutSome(tsdb.get(), &random, 1000, &model));
    ASSERT_OK(tsdb->maintenance().Flush());
    ASSERT_OK(PutSome(tsdb.get(), &random, 10, &model));
    options_.path = CopyStore(options_.path, copies_);
  }
  // Without tables it is not a store any more; with others it is one.
  uint64_t low_mark = 0;
  {
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    ASSERT_OK(tables);
    low_mark = ReadLowMark(tables->get()).value_or(0);
    ASSERT_OK((*tables)->Close());
  }
  ASSERT_GT(low_mark, 1u);
  std::filesystem::remove_all(options_.path + "/db");
  EXPECT_THAT(Tsdb::Open(options_).status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("CURRENT is missing")));
  ASSERT_OK((*OpenRocksTableStore(options_.path + "/db", options_))->Close());
  EXPECT_THAT(Tsdb::Open(options_).status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("in front of it are missing")));
  {
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    ASSERT_OK(tables);
    ASSERT_OK(WriteLowMark(low_mark, {.active_sets = true}, tables->get()));
    ASSERT_OK((*tables)->Close());
  }
  EXPECT_THAT(Tsdb::Open(options_).status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("names series")));
}

}  // namespace
}  // namespace hourcell::point_replay_test
