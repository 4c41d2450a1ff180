// Checks of a store that is in use. fsck_test.cc defines the faults.

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

#include "engine/region_admin.h"
#include "engine/rocks/rocks_table_store.h"
#include "tests/engine/backup/backup_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::fsck_admin_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

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
  ASSERT_OK(tsdb->maintenance().Seal());
  PutPoints(tsdb.get(), 100, 30);
  const auto report = tsdb->maintenance().fsck()->Check({});
  ASSERT_OK(report);
  EXPECT_THAT(report->counts, IsEmpty()) << report->examples[0].text;
  EXPECT_EQ(report->points, 100u);
  EXPECT_EQ(report->journal_points, 130u);
  EXPECT_EQ(report->series, 10u);
}

// New names and series, sealed hours, and regions that come and go are not faults.
TEST_F(FsckAdminTest, APutStoreHasNoFaultsWhileItIsChecked) {
  options_.open_hours_bytes = 64 << 10;
  options_.journal_segment_bytes = 4 << 10;
  options_.journal_bytes = 32 << 10;
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
  std::atomic<bool> is_checked{false};
  std::atomic<bool> is_written{false};
  std::atomic<int> put{0};
  std::thread writer([&] {
    for (int i = 0; !is_checked; ++i) {
      OwnedPoint point(fmt::format("m{}", i % 3), fmt::format("host=h{} n=n{}", i / 5, i % 7),
                       kBackupHour + 60 * i, i);
      EXPECT_OK(tsdb->points().Put(point.view()));
      put = i;
    }
  });
  // Goes on until the last put has ended: a put may wait for the room that only a seal makes.
  std::thread changer([&] {
    for (int i = 0; !is_written; ++i) {
      EXPECT_OK(i % 8 == 0 ? tsdb->maintenance().Flush() : tsdb->maintenance().Seal());
      if (i < 3) {
        const std::string at = fmt::format("\\x00\\x00\\x{:02x}", i + 1);
        EXPECT_OK(tsdb->maintenance().regions()->Split({.region = at, .at = at}).status());
      }
    }
  });
  for (int round = 0; round < (kIsSanitized ? 2 : 8); ++round) {
    const int before = put;
    while (put < before + (kIsSanitized ? 50 : 200))
      std::this_thread::yield();
    const auto report = tsdb->maintenance().fsck()->Check({});
    EXPECT_OK(report);
    if (!report.ok() || report->faults() == 0) continue;
    ADD_FAILURE() << "round " << round << ": " << report->examples[0].text;
    break;
  }
  is_checked = true;
  writer.join();
  is_written = true;
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
    const auto report = tsdb->maintenance().fsck()->Check({.fix_cells = true, .fix_uids = true});
    ASSERT_OK(report);
    EXPECT_THAT(report->counts, ElementsAre(Pair(FsckFault::kKey, 1), Pair(FsckFault::kCell, 1)));
    EXPECT_EQ(report->fixed, 0u);
  }
}

TEST_F(FsckAdminTest, AProgressThatSaysNoEndsACheck) {
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(options_);
  PutPoints(tsdb.get(), 0, 100);
  std::vector<std::string> phases;
  const auto note = [&](const FsckProgress& progress) {
    phases.emplace_back(progress.phase);
    return progress.phase != "rows";
  };
  EXPECT_THAT(tsdb->maintenance().fsck()->Check({.progress = note}),
              StatusIs(StatusCode::kCancelled, HasSubstr("at rows")));
  EXPECT_THAT(phases, ElementsAre("regions", "names", "series", "rows"));
}

// A disk that fails is neither damage nor the end of the table.
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
    const auto report = tsdb->maintenance().fsck()->Check({});
    has_failed = fs_->Log().size() > before;
    fs_->Heal();
    if (!report.ok() || report->faults() > 0) continue;
    EXPECT_EQ(report->points, 100u) << "read " << n;
    EXPECT_EQ(report->mappings, 24u) << "read " << n;
  }
}

}  // namespace
}  // namespace hourcell::fsck_admin_test
