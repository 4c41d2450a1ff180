#include "engine/rocks/files/rocks_manifest.h"

#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "engine/rocks/files/rocks_file_system.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_manifest_test {
namespace {

class RocksManifestTest : public testing::Test {
 protected:
  RocksManifestTest() {
    WriteFile(path("000001.sst"), "rows");
    EXPECT_TRUE(files()->NewWritableFile(path("MANIFEST-000002"), {}, &manifest_, nullptr).ok());
    AddRecord();
  }

  rocksdb::FileSystem* files() { return environment_.env->GetFileSystem().get(); }
  std::string path(const std::string& name) const { return directory_.file(name); }

  // As RocksDB adds one.
  void AddRecord() {
    EXPECT_TRUE(manifest_->Append("record", {}, nullptr).ok());
    EXPECT_TRUE(manifest_->Sync({}, nullptr).ok());
  }
  void Link(const std::string& name) {
    EXPECT_TRUE(files()->LinkFile(path("000001.sst"), path(name), {}, nullptr).ok());
  }
  uint64_t syncs() const { return fault_->Count(FaultFs::kSync); }
  uint64_t directory_syncs() const { return fault_->Count(FaultFs::kDirectorySync); }

  TempDir directory_;
  std::shared_ptr<FaultFs> fault_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> base_ = rocksdb::NewCompositeEnv(fault_);
  RocksEnvironment environment_ = MakeRocksEnvironment(base_.get(), directory_.path());
  std::unique_ptr<rocksdb::FSWritableFile> manifest_;
};

TEST_F(RocksManifestTest, TheRecordOfAFamilyIsSyncedWhenTheChangeEnds) {
  const uint64_t before = syncs();
  RocksFamilyChange change;
  AddRecord();
  EXPECT_EQ(syncs(), before);
  EXPECT_TRUE(change.Finish().ok());
  EXPECT_EQ(syncs(), before + 1);
  EXPECT_TRUE(change.Finish().ok());
  EXPECT_EQ(syncs(), before + 1);
}

TEST_F(RocksManifestTest, AChangeThatIsGivenUpLeavesNothingUnsynced) {
  const uint64_t before = syncs();
  {
    RocksFamilyChange change;
    AddRecord();
  }
  EXPECT_EQ(syncs(), before + 1);
  AddRecord();
  EXPECT_EQ(syncs(), before + 2);
}

TEST_F(RocksManifestTest, TheNextRecordSyncsTheOneOfTheFamily) {
  const uint64_t before = syncs();
  RocksFamilyChange change;
  AddRecord();
  AddRecord();
  EXPECT_EQ(syncs(), before + 1);
  EXPECT_TRUE(change.Finish().ok());
  EXPECT_EQ(syncs(), before + 1);
}

TEST_F(RocksManifestTest, RecordsOfOtherThreadsAreSyncedAtOnce) {
  const uint64_t before = syncs();
  RocksFamilyChange change;
  std::thread([&] { AddRecord(); }).join();
  EXPECT_EQ(syncs(), before + 1);
}

// CURRENT names it after its first sync.
TEST_F(RocksManifestTest, ANewManifestIsSyncedAtOnce) {
  RocksFamilyChange change;
  EXPECT_TRUE(files()->NewWritableFile(path("MANIFEST-000003"), {}, &manifest_, nullptr).ok());
  const uint64_t before = syncs();
  AddRecord();
  EXPECT_EQ(syncs(), before + 1);
}

// The bytes on disk are unknown then, also after a later sync.
TEST_F(RocksManifestTest, AManifestWhoseSyncFailedLaterTakesNoMoreRecords) {
  RocksFamilyChange change;
  AddRecord();
  fault_->FailOn({.operations = FaultFs::kSync});
  EXPECT_FALSE(change.Finish().ok());
  EXPECT_FALSE(manifest_->Append("record", {}, nullptr).ok());
  EXPECT_TRUE(files()->DeleteFile(path("000001.sst"), {}, nullptr).ok());
  EXPECT_EQ(ReadFile(path("000001.sst")), "rows") << "the manifest may name it";
}

TEST_F(RocksManifestTest, TheLastLinkOfAnImportSyncsThemAll) {
  const uint64_t before = directory_syncs();
  RocksFamilyChange change(/*links=*/2);
  Link("000003.sst");
  EXPECT_EQ(directory_syncs(), before);
  Link("000004.sst");
  EXPECT_EQ(directory_syncs(), before + 1);
  AddRecord();
  EXPECT_EQ(directory_syncs(), before + 1);
}

TEST_F(RocksManifestTest, ALinkThatCouldNotBeSyncedIsSyncedWithTheRecord) {
  RocksFamilyChange change(/*links=*/1);
  fault_->FailOn({.operations = FaultFs::kDirectorySync});
  Link("000003.sst");
  const uint64_t before = directory_syncs();
  AddRecord();
  EXPECT_EQ(directory_syncs(), before + 1);
}

}  // namespace
}  // namespace hourcell::rocks_manifest_test
