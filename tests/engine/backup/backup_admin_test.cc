#include "engine/backup_admin.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "engine/region_admin.h"
#include "tests/engine/backup/backup_testing.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::backup_admin_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::Optional;
using testing::SizeIs;

class BackupAdminTest : public testing::Test {
 protected:
  BackupAdminTest() { options_.seal_in_background = false; }

  absl::StatusOr<BackupManifest> Make() { return tsdb_->maintenance().backups()->Make(backups_); }
  void Open() { tsdb_ = OpenTiny(options_); }

  TempDir dir_;
  const std::string backups_ = dir_.file("backups");
  Options options_ = TinyOptions(dir_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(BackupAdminTest, HasWhatIsOpenSealedAndFlushed) {
  Open();
  PutPoints(tsdb_.get(), 0, 50);
  ASSERT_OK(tsdb_->maintenance().Flush());
  PutPoints(tsdb_.get(), 25, 50);
  ASSERT_OK(tsdb_->maintenance().Seal());
  PutPoints(tsdb_.get(), 70, 50);
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 1'000'000'000));
  ASSERT_OK(tsdb_->saved_views().Change(
      "v", [](const auto&) { return std::optional<std::string>("a view"); }));
  ASSERT_OK(tsdb_->names().ChangeTree(
      1, [](const auto&) { return std::optional<std::string>("a tree"); }));
  const std::string before = Dump(tsdb_.get());

  const auto made = Make();
  ASSERT_OK(made);
  PutPoints(tsdb_.get(), 120, 50);

  const std::unique_ptr<Tsdb> restored = OpenRestored(backups_, made->id, dir_.file("restored"));
  EXPECT_EQ(Dump(restored.get()), before);
  EXPECT_THAT(restored->retention().MetricTtls(), IsOkAndHolds(SizeIs(1)));
  EXPECT_THAT(restored->saved_views().Find("v"), IsOkAndHolds(Optional(std::string("a view"))));
  EXPECT_THAT(restored->names().FindTree(1), IsOkAndHolds(Optional(std::string("a tree"))));
  const auto uids = restored->names().CheckUids(/*repair=*/false);
  ASSERT_OK(uids);
  EXPECT_EQ(uids->errors, 0u);
  // It is a store like any other.
  PutPoints(restored.get(), 120, 50);
  EXPECT_EQ(Dump(restored.get()), Dump(tsdb_.get()));
}

TEST_F(BackupAdminTest, OfAnEmptyStoreIsAnEmptyStore) {
  Open();
  const auto made = Make();
  ASSERT_OK(made);
  EXPECT_EQ(Dump(OpenRestored(backups_, 1, dir_.file("restored")).get()), "");
}

TEST_F(BackupAdminTest, CopiesTheFilesOfTablesOnce) {
  Open();
  PutPoints(tsdb_.get(), 0, 1000);
  ASSERT_OK(tsdb_->maintenance().Compact());  // at rest: no SST file is made in the background
  const auto first = Make();
  ASSERT_OK(first);
  PutPoints(tsdb_.get(), 1000, 20);
  const std::string before = Dump(tsdb_.get());

  const auto second = Make();
  ASSERT_OK(second);
  const auto third = Make();
  ASSERT_OK(third);

  // The log and the journal have grown, no SST file.
  size_t shared = 0;
  for (const BackupFile& file : second->files) {
    const bool is_old = std::ranges::find(first->files, file) != first->files.end();
    EXPECT_TRUE(is_old || !file.path.ends_with(".sst")) << file.path;
    shared += is_old ? 1 : 0;
  }
  EXPECT_GE(shared, 3u);
  EXPECT_EQ(second->copied_files, second->files.size() - shared);
  EXPECT_LE(third->copied_files, 1u);  // the log, if something was written to it
  EXPECT_EQ(Dump(OpenRestored(backups_, 2, dir_.file("restored")).get()), before);
}

TEST_F(BackupAdminTest, IsRefusedInTheStore) {
  Open();
  for (const std::string& directory : {std::string(), options_.path, options_.path + "/",
                                       options_.path + "/a/b", dir_.file("other/../store/b")}) {
    EXPECT_THAT(tsdb_->maintenance().backups()->Make(directory),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("choose one outside")))
        << directory;
  }
  EXPECT_OK(tsdb_->maintenance().backups()->Make(dir_.file("store.backups")));
}

TEST_F(BackupAdminTest, ADamagedSstFileIsNotTaken) {
  Open();
  PutPoints(tsdb_.get(), 0, 1000);
  ASSERT_OK(tsdb_->maintenance().Flush());
  std::string damaged;
  for (const auto& entry : std::filesystem::directory_iterator(options_.path + "/db")) {
    if (entry.path().extension() == ".sst") damaged = entry.path().string();
  }
  Damage(damaged, 20);
  EXPECT_THAT(Make(), StatusIs(StatusCode::kDataLoss));
  const auto set = BackupSet::Open(backups_, BackupSet::Use::kRead);
  ASSERT_OK(set);
  EXPECT_THAT((*set)->ids(), SizeIs(0));
  Damage(damaged, 20);
  EXPECT_OK(Make());
}

TEST_F(BackupAdminTest, AfterAFailureTheStoreGoesOnAndDeletesItsFiles) {
  const auto fs = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(fs);
  options_.env = env.get();
  Open();
  PutPoints(tsdb_.get(), 0, 100);
  ASSERT_OK(tsdb_->maintenance().Flush());
  // The store itself writes nothing now, but for the block of a commit.
  for (uint64_t nth = 1; nth <= 12; ++nth) {
    fs->FailOn({.nth = nth, .with = FaultFs::Failure::kNoSpace});
    const auto made = Make();
    EXPECT_TRUE(made.ok() || absl::IsUnavailable(made.status())) << nth << made.status().ToString();
    fs->Heal();
  }
  PutPoints(tsdb_.get(), 100, 100);
  ASSERT_OK(Make());
  PutPoints(tsdb_.get(), 200, 100);
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(tsdb_->maintenance().Compact());
  // Nothing is pinned any more.
  ASSERT_OK(tsdb_->Close());
  EXPECT_THAT(FilesIn(options_.path + "/journal"), SizeIs(0));
  tsdb_.reset();
  options_.env = nullptr;
}

// Lists directories slowly. RocksDB lists the directory of its logs after it has recorded the SST
// files: other operations have time to come between, unless they are prevented.
class SlowListingFs : public rocksdb::FileSystemWrapper {
 public:
  SlowListingFs() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "SlowListingFs"; }
  void SetSlow(bool is_slow) { is_slow_ = is_slow; }

  rocksdb::IOStatus GetChildren(const std::string& directory,
                                const rocksdb::IOOptions& io,
                                std::vector<std::string>* names,
                                rocksdb::IODebugContext* debug) override {
    if (is_slow_ && directory.ends_with("/db")) std::this_thread::sleep_for(kWait);
    return FileSystemWrapper::GetChildren(directory, io, names, debug);
  }

 private:
  static constexpr std::chrono::milliseconds kWait{50};
  std::atomic<bool> is_slow_ = false;
};

// The values of a metric's points in a store.
std::set<int64_t> ValuesOf(Tsdb* tsdb, const std::string& metric) {
  std::set<int64_t> values;
  EXPECT_OK(tsdb->queries().Scan({.metric = metric}, [&](const ScannedRow& row) {
    for (const Value& value : row.point_values)
      values.insert(value.integer());
    return true;
  }));
  return values;
}

// Writers put points 0, 1, 2 ... of separate metrics, each when the one before is acknowledged. A
// backup has the first points of each metric, at least those acknowledged before.
class BusyBackupTest : public BackupAdminTest {
 protected:
  static constexpr int kWriters = 3;
  static constexpr int kBackups = kIsSanitized ? 2 : 5;
  static constexpr int kPoints = kIsSanitized ? 500 : 2000;  // of a writer, between two

  BusyBackupTest() {
    options_.seal_in_background = true;
    options_.seal_grace_s = 1;
    options_.open_hours_bytes = 64 << 10;
    options_.journal_segment_bytes = 4 << 10;
    options_.journal_bytes = 32 << 10;
    options_.env = env_.get();
  }
  ~BusyBackupTest() override { tsdb_.reset(); }  // before the file system

  void Write(int writer) {
    const std::string metric = fmt::format("m{}", writer);
    for (int i = 0; !stop_; ++i) {
      // Few of each hour and series, so that hours are sealed all the time.
      OwnedPoint point(metric, fmt::format("host=h{}", i % 7), kBackupHour + 400 * (i % 9000), i);
      if (!tsdb_->points().Put(point.view()).ok()) continue;
      acknowledged_[static_cast<size_t>(writer)] = i + 1;
    }
  }

  // Regions come and go meanwhile.
  void ChangeRegions() {
    while (!stop_) {
      const auto done = tsdb_->maintenance().regions()->Split({.region = "key:"});
      if (!done.ok()) continue;
      std::vector<std::string> daughters;
      for (const ListedRegion& daughter : done->daughters)
        daughters.push_back(fmt::format("{}", daughter.id));
      while (!stop_ && !tsdb_->maintenance().regions()->Merge("data", daughters).ok()) {
      }
      ++changes_;
    }
  }

  const std::shared_ptr<SlowListingFs> fs_ = std::make_shared<SlowListingFs>();
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(fs_);
  std::array<std::atomic<int>, kWriters> acknowledged_ = {};
  std::atomic<int> changes_ = 0;
  std::atomic<bool> stop_ = false;
};

TEST_F(BusyBackupTest, HasAllThatWasAcknowledgedAndNoHoles) {
  Open();
  std::vector<std::jthread> threads;
  for (int i = 0; i < kWriters; ++i)
    threads.emplace_back([this, i] { Write(i); });
  threads.emplace_back([this] { ChangeRegions(); });
  struct Backup {
    uint64_t id;
    std::array<int, kWriters> acknowledged;
  };
  std::vector<Backup> made;
  for (int round = 0; round < kBackups; ++round) {
    while (acknowledged_[0] < kPoints * (round + 1)) {
      std::this_thread::yield();
    }
    Backup backup = {};
    for (size_t i = 0; i < kWriters; ++i)
      backup.acknowledged[i] = acknowledged_[i];
    fs_->SetSlow(true);
    const auto manifest = Make();
    fs_->SetSlow(false);
    EXPECT_OK(manifest);
    if (!manifest.ok()) break;
    backup.id = manifest->id;
    made.push_back(backup);
  }
  stop_ = true;
  threads.clear();
  EXPECT_GE(changes_, 1);
  ASSERT_THAT(made, SizeIs(kBackups));

  for (const Backup& backup : made) {
    SCOPED_TRACE(testing::Message() << "backup " << backup.id);
    const auto restored =
        OpenRestored(backups_, backup.id, dir_.file(fmt::format("restored{}", backup.id)));
    for (size_t i = 0; i < kWriters; ++i) {
      const std::set<int64_t> values = ValuesOf(restored.get(), fmt::format("m{}", i));
      ASSERT_FALSE(values.empty());
      EXPECT_EQ(*values.begin(), 0);
      EXPECT_EQ(*values.rbegin() + 1, static_cast<int64_t>(values.size())) << "there are holes";
      EXPECT_GE(static_cast<int>(values.size()), backup.acknowledged[i]);
    }
    EXPECT_THAT(restored->maintenance().regions()->Check("data"), IsOkAndHolds(SizeIs(0)));
  }
  const auto set = BackupSet::Open(backups_, BackupSet::Use::kRead);
  ASSERT_OK(set);
  const auto check = (*set)->Verify({});
  ASSERT_OK(check);
  EXPECT_THAT(check->faults, SizeIs(0));
}

}  // namespace
}  // namespace hourcell::backup_admin_test
