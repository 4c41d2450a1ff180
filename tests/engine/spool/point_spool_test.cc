#include "engine/spool/point_spool.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
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
  // Opens it anew; what was open ends as after a crash.
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
  // The values of what is read next.
  std::vector<int64_t> Read(SpooledBatch* batch, size_t bytes = 1) {
    std::vector<int64_t> values;
    const absl::StatusOr<bool> read = spool_->Read(bytes, batch);
    EXPECT_OK(read);
    for (const PointView& point : batch->read.points)
      values.push_back(point.value.integer());
    return values;
  }
  // How many points are read until there are none, all Done.
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
  uint64_t dropped = 0;
  for (int i = 0; i < 2000; ++i) {
    Put(i, metric);
    SpooledBatch batch;
    // The reader holds some of what is dropped from the files, and lags at times.
    if (i % 300 < 5) {
      read += Read(&batch, 2000).size();
      if (!batch.blocks.empty()) {
        EXPECT_OK(spool_->Done(batch));
      }
    }
    if (i % 701 == 700) {
      read += Drain();
      dropped += spool_->dropped();
      Open();
    }
  }
  read += Drain();

  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(read + dropped + spool_->dropped(), put_);
}

TEST_F(PointSpoolTest, WhatAReaderMissesInMemoryItReadsFromFiles) {
  Open();
  const std::string metric(50'000, 'm');
  for (int i = 0; i < 200; ++i)  // 10 MB: more than what stays in memory
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
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("1 points were dropped since the start")));
  spool_.reset();
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
  ASSERT_OK((*store)->Append(lines, &refused).Wait());

  SpooledBatch batch;
  EXPECT_THAT(Read(&batch), ElementsAre(1, 3));
  ASSERT_OK((*store)->Close());
}

}  // namespace
}  // namespace hourcell::point_spool_test
