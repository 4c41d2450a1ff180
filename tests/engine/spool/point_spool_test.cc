#include "engine/spool/point_spool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::point_spool_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class PointSpoolTest : public testing::Test {
 protected:
  // Opens it anew; an open one ends as after a crash.
  void Open() {
    spool_.reset();
    spool_ = std::make_unique<PointSpool>(SpoolSettings{
        .directory = directory_.file("spool"),
        .bytes_max = bytes_max_,
        .sync_always = sync_always_,
        .clock = &clock_,
        .fs = fs_,
        .warn = [this](std::string_view message) { warnings_.emplace_back(message); }});
    ASSERT_OK(spool_->Open());
  }
  // One acknowledged point with this value.
  void Put(int64_t value, const std::string& metric = "m") {
    OwnedPoint point(metric, "host=a", 1'356'998'400, value);
    const PointView view = point.view();
    spool_->BeforeStore({.number = 1, .points = {&view, 1}});
    spool_->AfterPut(1, 1);
    ++put_;
  }
  // The values of the next read.
  std::vector<int64_t> Read(SpooledBatch* batch, size_t bytes = 1) {
    std::vector<int64_t> values;
    const absl::StatusOr<bool> read = spool_->Read(bytes, batch);
    EXPECT_OK(read);
    for (const PointView& point : batch->read.points)
      values.push_back(point.value.integer());
    return values;
  }
  // Reads to the end, with Done for all points; returns their number.
  uint64_t Drain() {
    uint64_t points = 0;
    SpooledBatch batch;
    for (int idle = 0; idle < 3;) {
      const size_t found = Read(&batch, 1 << 20).size();
      points += found;
      idle = found == 0 ? idle + 1 : 0;
      if (found == 0) continue;
      EXPECT_OK(spool_->Done(batch));
    }
    return points;
  }
  std::vector<std::string> Segments() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.file("spool")))
      if (entry.path().extension() == ".log") names.push_back(entry.path().string());
    std::ranges::sort(names);
    return names;
  }
  void FlipByteOf(const std::string& path, std::streamoff at) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(at);
    const int byte = file.get();
    file.seekp(at);
    file.put(static_cast<char>(byte ^ 1));
  }

  TempDir directory_;
  ManualClock clock_{1'000'000};
  FaultFs* fs_ = nullptr;
  uint64_t bytes_max_ = uint64_t{1} << 30;
  bool sync_always_ = false;
  uint64_t put_ = 0;
  std::vector<std::string> warnings_;
  std::unique_ptr<PointSpool> spool_;
};

TEST_F(PointSpoolTest, SpecialValuesAreNotForwarded) {
  Open();
  Put(1);
  OwnedPoint marker("m", "host=a", Timestamp{.ms = 1'356'998'401'000}, Value::StaleMarker());
  OwnedPoint number("m", "host=a", Timestamp{.ms = 1'356'998'402'000}, Value::Integer(2));
  const PointView points[] = {marker.view(), number.view()};
  spool_->BeforeStore({.number = 2, .points = points});
  spool_->BeforeStore({.number = 3, .points = {points, 1}});
  spool_->AfterPut(3, 3);

  SpooledBatch batch;
  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(1, 2));
}

TEST_F(PointSpoolTest, WhatWasPutIsReadOnceAndInOrder) {
  Open();
  SpooledBatch batch;
  EXPECT_THAT(Read(&batch), IsEmpty());
  Put(1);
  Put(2);
  Put(3);

  EXPECT_THAT(Read(&batch), ElementsAre(1));
  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(2, 3));
  EXPECT_THAT(Read(&batch), IsEmpty());
  EXPECT_EQ(spool_->dropped(), 0u);
}

TEST_F(PointSpoolTest, PutsUnderWayAreWrittenTogether) {
  Open();
  OwnedPoint one("m", "host=a", 1'356'998'400, 1);
  const PointView view = one.view();
  spool_->BeforeStore({.number = 1, .points = {&view, 1}});
  SpooledBatch batch;
  EXPECT_THAT(Read(&batch), IsEmpty());  // not acknowledged yet
  Put(2);

  EXPECT_THAT(Read(&batch), ElementsAre(1, 2));
  EXPECT_THAT(batch.blocks, SizeIs(1));
}

TEST_F(PointSpoolTest, WhatWasNotDoneIsReadAgainAfterACrash) {
  Open();
  for (int i = 1; i <= 4; ++i)
    Put(i);
  SpooledBatch batch;
  EXPECT_THAT(Read(&batch), ElementsAre(1));
  EXPECT_OK(spool_->Done(batch));
  EXPECT_THAT(Read(&batch), ElementsAre(2));

  Open();
  Put(5);

  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(spool_->dropped(), 0u);
}

TEST_F(PointSpoolTest, WithoutAPositionAllIsReadAgain) {
  Open();
  Put(1);
  Put(2);
  SpooledBatch batch;
  Read(&batch);
  EXPECT_OK(spool_->Done(batch));
  std::ofstream(directory_.file("spool/position")) << "torn";

  Open();

  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(1, 2));
  EXPECT_EQ(spool_->dropped(), 0u);
}

TEST_F(PointSpoolTest, AClosedSpoolGoesOnAndKeepsNoFileOfWhatIsDone) {
  Open();
  Put(1);
  EXPECT_EQ(Drain(), 1u);
  EXPECT_OK(spool_->Close());
  EXPECT_THAT(Segments(), IsEmpty());

  Open();
  Put(2);
  EXPECT_OK(spool_->Close());
  Open();

  SpooledBatch batch;
  EXPECT_THAT(Read(&batch), ElementsAre(2));
  EXPECT_EQ(spool_->dropped(), 0u);
}

TEST_F(PointSpoolTest, AFullSpoolDropsTheOldestAndCountsThem) {
  bytes_max_ = kSpoolBytesMin;
  Open();
  const std::string metric(100, 'm');
  for (int i = 0; i < 1000; ++i)
    Put(i, metric);

  EXPECT_LE(spool_->bytes(), bytes_max_);
  EXPECT_GT(spool_->dropped(), 100u);
  ASSERT_THAT(warnings_, SizeIs(1));  // not one each
  EXPECT_THAT(warnings_[0], HasSubstr("the spool is full"));
  SpooledBatch batch;
  EXPECT_EQ(Read(&batch)[0], static_cast<int64_t>(spool_->dropped()));
  EXPECT_EQ(1 + Drain() + spool_->dropped(), put_);
}

TEST_F(PointSpoolTest, EachPointIsReadOrCountedWhateverIsLost) {
  bytes_max_ = kSpoolBytesMin;
  Open();
  const std::string metric(100, 'm');
  uint64_t read = 0;
  for (int i = 0; i < 2000; ++i) {
    Put(i, metric);
    SpooledBatch batch;
    // The reader holds some points that are dropped from the files, and lags at times.
    if (i % 300 < 5) {
      read += Read(&batch, 2000).size();
      if (!batch.blocks.empty()) {
        EXPECT_OK(spool_->Done(batch));
      }
    }
    if (i % 701 == 700) {
      read += Drain();
      Open();
    }
  }
  read += Drain();

  EXPECT_GT(spool_->dropped(), 0u);
  EXPECT_EQ(read + spool_->dropped(), put_);
}

// Files are deleted of blocks that the reader has; a crash takes those from it.
TEST_F(PointSpoolTest, WhatTheReaderHadIsCountedAfterACrash) {
  bytes_max_ = kSpoolBytesMin;
  Open();
  const std::string metric(100, 'm');
  for (int life = 0; life < 3; ++life) {
    for (int i = 0; i < 300; ++i)
      Put(i, metric);
    SpooledBatch batch;
    EXPECT_THAT(Read(&batch), SizeIs(1));  // and all others are in memory
    for (int i = 0; i < 1000; ++i)
      Put(i, metric);
    Open();
    EXPECT_GT(spool_->dropped(), 800u * (static_cast<uint64_t>(life) + 1));
  }
  const uint64_t dropped = spool_->dropped();

  EXPECT_EQ(Drain() + dropped, put_);
  EXPECT_EQ(spool_->dropped(), dropped) << "each once";
  EXPECT_OK(spool_->Close());
  Open();
  EXPECT_EQ(spool_->dropped(), dropped) << "a stop does not forget them";
}

TEST_F(PointSpoolTest, WhatAReaderMissesInMemoryItReadsFromFiles) {
  Open();
  const std::string metric(50'000, 'm');
  for (int i = 0; i < 200; ++i)  // 10 MB: more than stays in memory
    Put(i, metric);

  std::vector<int64_t> want(200);
  std::iota(want.begin(), want.end(), 0);
  std::vector<int64_t> found;
  SpooledBatch batch;
  while (found.size() < want.size()) {
    const std::vector<int64_t> values = Read(&batch, 1 << 20);
    ASSERT_FALSE(values.empty());
    found.insert(found.end(), values.begin(), values.end());
    if (want.size() == 230) continue;
    Put(static_cast<int64_t>(want.size()), metric);  // the end moves away meanwhile
    want.push_back(static_cast<int64_t>(want.size()));
  }
  EXPECT_EQ(found, want);
  EXPECT_EQ(spool_->dropped(), 0u);
}

TEST_F(PointSpoolTest, DamageWhileOpenLeavesOutTheSegment) {
  bytes_max_ = 16 << 20;  // segments of 1 MiB
  Open();
  const std::string metric(50'000, 'm');
  for (int i = 0; i < 200; ++i)
    Put(i, metric);
  ASSERT_GT(Segments().size(), 3u);
  FlipByteOf(Segments()[0], 200'000);

  EXPECT_EQ(Drain() + spool_->dropped(), put_);
  EXPECT_GT(spool_->dropped(), 10u);
  EXPECT_LT(spool_->dropped(), 25u);
}

TEST_F(PointSpoolTest, SyncedBlocksThatAreDamagedEndTheOpen) {
  Open();
  Put(1);
  Put(2);
  EXPECT_OK(spool_->Close());
  spool_.reset();
  FlipByteOf(Segments()[0], 70);

  PointSpool damaged({.directory = directory_.file("spool")});
  EXPECT_THAT(damaged.Open(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("move the directory away")));
}

TEST_F(PointSpoolTest, ATornTailIsCutAndTheRestIsRead) {
  Open();
  Put(1);
  Put(2);
  spool_.reset();
  std::ofstream(Segments()[0], std::ios::binary | std::ios::app) << "torn";

  Open();
  Put(3);

  SpooledBatch batch;
  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(1, 2, 3));
}

TEST_F(PointSpoolTest, APowerLossTakesNoAcknowledgedPointIfSynced) {
  for (const uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    FaultFs fs;
    fs_ = &fs;
    sync_always_ = true;
    std::filesystem::remove_all(directory_.file("spool"));
    Open();
    for (int i = 1; i <= 5; ++i)
      Put(i);
    OwnedPoint unacknowledged("m", "host=a", 1'356'998'400, 6);
    const PointView view = unacknowledged.view();
    spool_->BeforeStore({.number = 6, .points = {&view, 1}});
    spool_.reset();
    fs.LoseUnsynced(seed);

    Open();

    SpooledBatch batch;
    EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(1, 2, 3, 4, 5)) << seed;
    spool_.reset();
    fs_ = nullptr;
  }
}

TEST_F(PointSpoolTest, AWriteThatFailsIsCountedAndTheNextGoesOn) {
  FaultFs fs;
  fs_ = &fs;
  Open();
  Put(1);
  fs.FailOn({.operations = FaultFs::kAppend, .with = FaultFs::Failure::kNoSpace});
  Put(2);
  Put(3);

  SpooledBatch batch;
  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(1, 3));
  EXPECT_EQ(spool_->dropped(), 1u);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("1 points were dropped since the spool was made")));
  spool_.reset();
}

TEST_F(PointSpoolTest, PointsThatCouldNotBeWrittenAreCountedAfterAStop) {
  FaultFs fs;
  fs_ = &fs;
  Open();
  Put(1);
  fs.FailOn({.operations = FaultFs::kAppend, .with = FaultFs::Failure::kNoSpace});
  Put(2);
  EXPECT_OK(spool_->Close());
  Open();
  EXPECT_EQ(spool_->dropped(), 1u);
  Put(3);

  SpooledBatch batch;
  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(1, 3));
  EXPECT_EQ(spool_->dropped(), 1u) << "not twice";
  spool_.reset();
}

TEST_F(PointSpoolTest, PointsWhoseSyncFailsAreCounted) {
  FaultFs fs;
  fs_ = &fs;
  sync_always_ = true;
  Open();
  Put(1);
  EXPECT_EQ(spool_->unsynced(), 0u);
  fs.FailOn({.operations = FaultFs::kSync});
  Put(2);

  EXPECT_EQ(spool_->unsynced(), 1u);
  EXPECT_THAT(warnings_,
              ElementsAre(HasSubstr("a power loss takes 1 points that were acknowledged")));
  SpooledBatch batch;
  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(1, 2)) << "they are sent all the same";
  EXPECT_EQ(spool_->dropped(), 0u);
  Put(3);
  EXPECT_EQ(spool_->dropped(), 1u) << "nothing can be written any more";
  spool_.reset();
}

TEST_F(PointSpoolTest, ItsOwnPointsAreRefused) {
  Open();
  const std::string id = spool_->id();
  EXPECT_EQ(id.size(), 16u);
  Open();
  EXPECT_EQ(spool_->id(), id);

  EXPECT_OK(spool_->BeforePut({.number = 1}));
  EXPECT_OK(spool_->BeforePut({.number = 1, .via = "0123456789abcdef"}));
  EXPECT_THAT(spool_->BeforePut({.number = 1, .via = "0123456789abcdef," + id}),
              StatusIs(absl::StatusCode::kInvalidArgument, kOwnPointsText));
  EXPECT_THAT(spool_->BeforePut({.number = 1, .via = "x"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected at most 16 ids")));
}

TEST_F(PointSpoolTest, PointsAreReadWithTheServersThatForwardedThem) {
  Open();
  const auto put = [this](int64_t value, std::string_view via) {
    OwnedPoint point("m", "host=a", 1'356'998'400, value);
    const PointView view = point.view();
    spool_->BeforeStore({.number = 1, .points = {&view, 1}, .via = via});
  };
  put(1, "");
  put(2, "0123456789abcdef");
  put(3, "0123456789abcdef");
  put(4, "");
  spool_->AfterPut(1, 1);

  SpooledBatch batch;
  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(1));
  EXPECT_EQ(batch.via, "");
  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(2, 3));
  EXPECT_EQ(batch.via, "0123456789abcdef");
  EXPECT_THAT(spool_->ReadMore(1, &batch), IsOkAndHolds(false)) << "the next came from elsewhere";
  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(4));
  Put(5);
  EXPECT_THAT(spool_->ReadMore(1, &batch), IsOkAndHolds(true));
  EXPECT_THAT(batch.read.points, SizeIs(2));
}

TEST_F(PointSpoolTest, HistogramsOfAStoreAreReadAfterACrash) {
  Open();
  Options options = TinyOptions(directory_.file("store"));
  options.observers = {spool_.get()};
  auto store = Tsdb::Open(options);
  ASSERT_OK(store);
  const SimpleHistogram histogram{.overflow = 1};
  OwnedPoint good("lat", "host=a", 1'356'998'400, 0);
  OwnedPoint bad("lat", "", 1'356'998'400, 0);
  const HistogramPoint histograms[] = {
      {.point = bad.view(), .histogram = &histogram, .codec = 42},
      {.point = good.view(), .histogram = &histogram, .codec = 42}};
  const std::string via = "0123456789abcdef";
  std::vector<RefusedPoint> refused;
  OwnedPoint number("m", "host=a", 1'356'998'400, 7);

  ASSERT_OK((*store)->points().AppendHistograms(histograms, &refused, {.via = via}));
  ASSERT_OK((*store)->points().Put(number.view()));
  EXPECT_THAT((*store)->points().AppendHistograms(histograms, &refused, {.via = spool_->id()}),
              StatusIs(absl::StatusCode::kInvalidArgument, kOwnPointsText));
  ASSERT_OK((*store)->Close());
  Open();

  SpooledBatch batch;
  EXPECT_THAT(Read(&batch, 1 << 20), SizeIs(1));
  EXPECT_EQ(batch.via, via);
  EXPECT_EQ(batch.read.points[0].metric, "lat");
  EXPECT_THAT(batch.read.cells, ElementsAre(std::string_view("\x2a\0\0\0\1", 5)));
  EXPECT_THAT(Read(&batch, 1 << 20), ElementsAre(7));
  EXPECT_THAT(batch.read.cells, ElementsAre(""));
}

TEST_F(PointSpoolTest, TheLagIsThatOfTheOldestPointNotDone) {
  Open();
  EXPECT_EQ(spool_->LagMs(), 0);
  Put(1);
  clock_.Advance(3000);
  Put(2);
  clock_.Advance(1000);
  EXPECT_EQ(spool_->LagMs(), 4000);
  SpooledBatch batch;
  Read(&batch);
  EXPECT_OK(spool_->Done(batch));
  Read(&batch);
  EXPECT_EQ(spool_->LagMs(), 1000);
  EXPECT_OK(spool_->Done(batch));
  EXPECT_EQ(spool_->LagMs(), 0);
}

TEST_F(PointSpoolTest, AStoresPutsAreReadAndThoseItRefusesAreNot) {
  Open();
  Options options = TinyOptions(directory_.file("store"));
  options.observers = {spool_.get()};
  auto store = Tsdb::Open(options);
  ASSERT_OK(store);
  const LinePoint lines[] = {{"m", "host=a", {.ms = 1'356'998'400'000}, Value::Integer(1)},
                             {"m", "nothing", {.ms = 1'356'998'400'000}, Value::Integer(2)},
                             {"m", "host=b", {.ms = 1'356'998'400'000}, Value::Integer(3)}};
  std::vector<RefusedPoint> refused;
  ASSERT_OK((*store)->points().Append(lines, &refused).Wait());

  SpooledBatch batch;
  EXPECT_THAT(Read(&batch), ElementsAre(1, 3));
  ASSERT_OK((*store)->Close());
}

// Between the spool and the store the first put of a round lets the other one pass, if it can.
class HoldingSpool : public PointSpool {
 public:
  using PointSpool::PointSpool;
  void BeginRound() {
    is_first_ = true;
    other_is_stored_ = false;
  }
  void NoteStored() { other_is_stored_ = true; }
  void BeforeStore(const PutBatch& batch) override {
    PointSpool::BeforeStore(batch);
    if (!is_first_.exchange(false)) return;
    constexpr int kYields = 5'000;  // a put that waits for this one cannot pass
    for (int i = 0; i < kYields && !other_is_stored_; ++i)
      std::this_thread::yield();
  }

 private:
  std::atomic<bool> is_first_{true};
  std::atomic<bool> other_is_stored_{false};
};

// The value that is kept of each instant.
std::map<int64_t, int64_t> StoredValues(Tsdb* store, int64_t start_s, int64_t end_s) {
  std::map<int64_t, int64_t> stored;
  const auto result = store->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, start_s, end_s));
  EXPECT_OK(result);
  if (!result.ok()) return stored;
  for (const ResultSeries& series : result->series)
    for (const ResultPoint& point : series.points)
      stored[point.ms] = point.value.integer();
  return stored;
}

// Two writers put the same instants at once.
TEST_F(PointSpoolTest, TheLastValueOfAnInstantIsTheStores) {
  constexpr int kRounds = 10;
  constexpr int kInstants = 20;
  constexpr int64_t kStartS = 1'356'998'400;
  HoldingSpool spool({.directory = directory_.file("spool")});
  ASSERT_OK(spool.Open());
  Options options = TinyOptions(directory_.file("store"));
  options.observers = {&spool};
  auto store = Tsdb::Open(options);
  ASSERT_OK(store);
  const auto put = [&](int64_t value) {
    std::vector<LinePoint> lines;
    for (int i = 0; i < kInstants; ++i)
      lines.push_back({"m", "host=a", {.ms = (kStartS + i) * 1000}, Value::Integer(value)});
    const CommitTicket ticket = (*store)->points().Append(lines, nullptr);
    spool.NoteStored();
    EXPECT_OK(ticket.Wait());
  };
  put(-1);  // makes the series

  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    spool.BeginRound();
    {
      const std::jthread one([&] { put(2 * round); });
      const std::jthread two([&] { put(2 * round + 1); });
    }
    std::map<int64_t, int64_t> sent;
    SpooledBatch batch;
    while (spool.Read(1 << 20, &batch).value_or(false)) {
      for (const PointView& point : batch.read.points)
        sent[point.timestamp.ms] = point.value.integer();
    }
    EXPECT_EQ(sent, StoredValues(store->get(), kStartS, kStartS + kInstants));
  }
  ASSERT_OK((*store)->Close());
}

}  // namespace
}  // namespace hourcell::point_spool_test
