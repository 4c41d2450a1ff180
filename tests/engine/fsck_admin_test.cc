// Checks of a store that is in use. What is a fault is in fsck_test.cc.

#include "engine/fsck_admin.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "codec/base/mutex.h"
#include "engine/region_admin.h"
#include "engine/rocks_table_store.h"
#include "tests/engine/backup_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// Holds up whoever reads a table file until it is opened.
class Gate {
 public:
  FaultFs::Hook Hook() {
    return [this](FaultFs::Operation operation, const std::string& path) {
      if (operation != FaultFs::kRead || FaultFs::KindOf(path) != FaultFs::kTableFile) return;
      MutexLock lock(&mutex_);
      is_reached_ = true;
      changed_.NotifyAll();
      while (!is_open_)
        changed_.Wait(&mutex_);
    };
  }
  void WaitUntilReached() {
    MutexLock lock(&mutex_);
    while (!is_reached_)
      changed_.Wait(&mutex_);
  }
  void Open() {
    MutexLock lock(&mutex_);
    is_open_ = true;
    changed_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool is_reached_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
};

class FsckAdminTest : public testing::Test {
 protected:
  FsckAdminTest() {
    options_.seal_in_background = false;
    options_.env = env_.get();
  }

  TempDir dir_;
  const std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(fs_);
  Options options_ = TinyOptions(dir_.file("store"));
};

TEST_F(FsckAdminTest, WhatIsNotSealedYetIsNoFault) {
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
  PutPoints(tsdb.get(), 0, 100);
  ASSERT_OK(tsdb->Seal());
  PutPoints(tsdb.get(), 100, 30);
  const auto report = tsdb->fsck()->Check({});
  ASSERT_OK(report);
  EXPECT_THAT(report->counts, IsEmpty()) << report->examples[0].text;
  EXPECT_EQ(report->points, 100u);
  EXPECT_EQ(report->journal_points, 130u);
  EXPECT_EQ(report->series, 10u);
}

// New names and series, sealed hours and regions that come and go are no faults.
TEST_F(FsckAdminTest, APutStoreHasNoFaultsWhileItIsChecked) {
  options_.open_hours_bytes = 64 << 10;
  options_.journal_segment_bytes = 4 << 10;
  options_.journal_bytes = 32 << 10;
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
  std::atomic<bool> is_done{false};
  std::atomic<int> put{0};
  std::thread writer([&] {
    for (int i = 0; !is_done; ++i) {
      OwnedPoint point(fmt::format("m{}", i % 3), fmt::format("host=h{} n=n{}", i / 5, i % 7),
                       kBackupHour + 60 * i, i);
      EXPECT_OK(tsdb->Put(point.view()));
      put = i;
    }
  });
  std::thread changer([&] {
    for (int i = 0; !is_done; ++i) {
      EXPECT_OK(i % 8 == 0 ? tsdb->Flush() : tsdb->Seal());
      if (i < 3) {
        const std::string at = fmt::format("\\x00\\x00\\x{:02x}", i + 1);
        EXPECT_OK(tsdb->regions()->Split({.region = at, .at = at}).status());
      }
    }
  });
  for (int round = 0; round < (kIsSanitized ? 2 : 8); ++round) {
    const int before = put;
    while (put < before + (kIsSanitized ? 50 : 200))
      std::this_thread::yield();
    const auto report = tsdb->fsck()->Check({});
    EXPECT_OK(report);
    if (!report.ok() || report->faults() == 0) continue;
    ADD_FAILURE() << "round " << round << ": " << report->examples[0].text;
    break;
  }
  is_done = true;
  writer.join();
  changer.join();
}

TEST_F(FsckAdminTest, FaultsAreToldAndNothingIsRepaired) {
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    PutPoints(tsdb.get(), 0, 10);
    ASSERT_OK(tsdb->Close());
    const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
    ASSERT_OK(tables);
    const Mutation junk{TableId::kData, Mutation::Kind::kSet,
                        std::string("\0\0\1\x50\xe2\x27\0", 7), "\1no cell"};
    ASSERT_OK((*tables)->Apply({&junk, 1}, /*sync=*/false));
    ASSERT_OK((*tables)->Close());
  }
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
  for (int round = 0; round < 2; ++round) {
    const auto report = tsdb->fsck()->Check({.fix_cells = true, .fix_uids = true});
    ASSERT_OK(report);
    EXPECT_THAT(report->counts, ElementsAre(Pair(FsckFault::kKey, 1), Pair(FsckFault::kCell, 1)));
    EXPECT_EQ(report->fixed, 0u);
  }
}

TEST_F(FsckAdminTest, OneAtATimeInTheBackgroundUntilItIsCancelled) {
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    PutPoints(tsdb.get(), 0, 100);
    ASSERT_OK(tsdb->Close());
  }
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
  FsckAdmin* const fsck = tsdb->fsck();
  EXPECT_EQ(fsck->Last().state, FsckState::kNone);
  Gate gate;
  fs_->SetHook(gate.Hook());
  EXPECT_THAT(fsck->Start(10), IsOkAndHolds(1u));
  gate.WaitUntilReached();
  EXPECT_EQ(fsck->Last().state, FsckState::kRunning);
  EXPECT_THAT(fsck->Start(10), StatusIs(StatusCode::kUnavailable, HasSubstr("under way")));
  fsck->Cancel();
  gate.Open();
  fsck->Stop();
  const FsckRun run = fsck->Last();
  EXPECT_EQ(run.state, FsckState::kCancelled);
  EXPECT_THAT(run.error, HasSubstr("was ended while it was at"));
  EXPECT_THAT(fsck->Start(10), StatusIs(StatusCode::kFailedPrecondition));
  fs_->SetHook({});
}

TEST_F(FsckAdminTest, TheLastReportStays) {
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
  PutPoints(tsdb.get(), 0, 100);
  ASSERT_OK(tsdb->Seal());
  ASSERT_OK(tsdb->fsck()->Start(10));
  while (tsdb->fsck()->Last().state == FsckState::kRunning)
    std::this_thread::yield();
  EXPECT_THAT(tsdb->fsck()->Start(10), IsOkAndHolds(2u));
  ASSERT_OK(tsdb->Close());
  // Whether the second was done by then is a matter of luck.
  EXPECT_NE(tsdb->fsck()->Last().state, FsckState::kRunning);
}

TEST_F(FsckAdminTest, AProgressThatSaysNoEndsACheck) {
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
  PutPoints(tsdb.get(), 0, 100);
  std::vector<std::string> phases;
  const auto note = [&](const FsckProgress& progress) {
    phases.emplace_back(progress.phase);
    return progress.phase != "rows";
  };
  EXPECT_THAT(tsdb->fsck()->Check({.progress = note}),
              StatusIs(StatusCode::kCancelled, HasSubstr("at rows")));
  EXPECT_THAT(phases, ElementsAre("regions", "names", "series", "rows"));
}

// A disk that fails is no damage, and no end of the table.
TEST_F(FsckAdminTest, WhatCannotBeReadIsTold) {
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    PutPoints(tsdb.get(), 0, 100);
    ASSERT_OK(tsdb->Close());
  }
  bool has_failed = true;
  for (uint64_t n = 1; has_failed && n < 1000; ++n) {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
    const size_t before = fs_->Log().size();
    fs_->FailOn({.operations = FaultFs::kAllReads, .nth = n});
    const auto report = tsdb->fsck()->Check({});
    has_failed = fs_->Log().size() > before;
    fs_->Heal();
    if (!report.ok() || report->faults() > 0) continue;
    EXPECT_EQ(report->points, 100u) << "read " << n;
    EXPECT_EQ(report->mappings, 24u) << "read " << n;
  }
}

}  // namespace
}  // namespace hourcell
