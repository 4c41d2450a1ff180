#include "engine/rocks/files/rocks_file_system.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_file_system_test {
namespace {

class RocksFileSystemTest : public testing::Test {
 protected:
  rocksdb::FileSystem* files() { return environment_.env->GetFileSystem().get(); }
  std::string path(const std::string& name) const { return directory_.file(name); }

  std::unique_ptr<rocksdb::FSWritableFile> Create(const std::string& name) {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    EXPECT_TRUE(files()->NewWritableFile(path(name), {}, &file, nullptr).ok());
    return file;
  }
  bool Append(rocksdb::FSWritableFile* file) { return file->Append("x", {}, nullptr).ok(); }

  TempDir directory_;
  std::shared_ptr<FaultFs> fault_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> base_ = rocksdb::NewCompositeEnv(fault_);
  RocksEnvironment environment_ = MakeRocksEnvironment(base_.get(), directory_.path());
};

TEST_F(RocksFileSystemTest, WritesNoOptionsFile) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  EXPECT_TRUE(
      files()->NewWritableFile(path("OPTIONS-000007"), {}, &file, nullptr).IsNotSupported());
  EXPECT_TRUE(files()->FileExists(path("OPTIONS-000007"), {}, nullptr).IsNotFound());
  EXPECT_NE(Create("000007.sst"), nullptr);
}

TEST_F(RocksFileSystemTest, LinksLastBeforeAManifestDoes) {
  Create("000001.sst");
  const auto manifest = Create("MANIFEST-000002");
  ASSERT_TRUE(files()->LinkFile(path("000001.sst"), path("000003.sst"), {}, nullptr).ok());
  const uint64_t before = fault_->Count(FaultFs::kDirectorySync);
  ASSERT_TRUE(manifest->Sync({}, nullptr).ok());
  EXPECT_EQ(fault_->Count(FaultFs::kDirectorySync), before + 1);
  ASSERT_TRUE(manifest->Sync({}, nullptr).ok());
  EXPECT_EQ(fault_->Count(FaultFs::kDirectorySync), before + 1);
}

TEST_F(RocksFileSystemTest, AManifestIsNotSyncedWithoutItsLinks) {
  Create("000001.sst");
  const auto manifest = Create("MANIFEST-000002");
  ASSERT_TRUE(files()->LinkFile(path("000001.sst"), path("000003.sst"), {}, nullptr).ok());
  fault_->FailOn({.operations = FaultFs::kDirectorySync});
  EXPECT_FALSE(manifest->Sync({}, nullptr).ok());
}

TEST_F(RocksFileSystemTest, LinksOfStagedFilesAreNotSynced) {
  Create("000001.sst");
  const auto manifest = Create("MANIFEST-000002");
  const std::string staging = directory_.path() + ".split";
  ASSERT_TRUE(files()->CreateDirIfMissing(staging, {}, nullptr).ok());
  ASSERT_TRUE(files()->LinkFile(path("000001.sst"), staging + "/000001.sst", {}, nullptr).ok());
  const uint64_t before = fault_->Count(FaultFs::kDirectorySync);
  EXPECT_TRUE(manifest->Sync({}, nullptr).ok());
  EXPECT_EQ(fault_->Count(FaultFs::kDirectorySync), before);
  std::filesystem::remove_all(staging);
}

// Unsynced bytes may be there after a power loss, and an unsynced name may be gone.
TEST_F(RocksFileSystemTest, AManifestSaysNothingOfLinksThatMayNotLast) {
  Create("000001.sst");
  const auto manifest = Create("MANIFEST-000002");
  ASSERT_TRUE(files()->LinkFile(path("000001.sst"), path("000003.sst"), {}, nullptr).ok());
  const uint64_t appends = fault_->Count(FaultFs::kAppend);
  fault_->FailOn({.operations = FaultFs::kDirectorySync});
  EXPECT_FALSE(Append(manifest.get()));
  EXPECT_EQ(fault_->Count(FaultFs::kAppend), appends);

  EXPECT_TRUE(Append(manifest.get()));
  EXPECT_EQ(fault_->Count(FaultFs::kAppend), appends + 1);
  EXPECT_EQ(fault_->Count(FaultFs::kDirectorySync), 2u);
}

TEST_F(RocksFileSystemTest, SstFilesStayWhileNoManifestIsCertain) {
  Create("000001.sst");
  ASSERT_TRUE(Append(Create("000001.log").get()));
  const auto manifest = Create("MANIFEST-000002");
  fault_->FailOn({.operations = FaultFs::kAppend});
  EXPECT_FALSE(Append(manifest.get()));
  EXPECT_TRUE(files()->DeleteFile(path("000001.sst"), {}, nullptr).ok());
  EXPECT_TRUE(files()->DeleteFile(path("000001.log"), {}, nullptr).ok());
  EXPECT_TRUE(files()->FileExists(path("000001.sst"), {}, nullptr).ok());
  EXPECT_TRUE(files()->FileExists(path("000001.log"), {}, nullptr).IsNotFound());

  Create("CURRENT.dbtmp");
  ASSERT_TRUE(files()->RenameFile(path("CURRENT.dbtmp"), path("CURRENT"), {}, nullptr).ok());
  EXPECT_TRUE(files()->DeleteFile(path("000001.sst"), {}, nullptr).ok());
  EXPECT_TRUE(files()->FileExists(path("000001.sst"), {}, nullptr).IsNotFound());
}

// RocksDB stops where the name of a new WAL cannot be synced.
TEST_F(RocksFileSystemTest, TheSyncOfANewNameFailsForTheManifestOnly) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  ASSERT_TRUE(files()->NewDirectory(directory_.path(), {}, &directory, nullptr).ok());
  const auto manifest = Create("MANIFEST-000002");
  fault_->FailOn({.operations = FaultFs::kDirectorySync});
  using Options = rocksdb::DirFsyncOptions;
  EXPECT_TRUE(directory->FsyncWithDirOptions({}, nullptr, Options(Options::kNewFileSynced)).ok());
  EXPECT_EQ(environment_.errors->counts().wal, 1u);

  fault_->FailOn({.operations = FaultFs::kDirectorySync});
  EXPECT_FALSE(manifest->Sync({}, nullptr).ok()) << "the name may not be on disk";
  EXPECT_TRUE(manifest->Sync({}, nullptr).ok());

  fault_->FailOn({.operations = FaultFs::kDirectorySync});
  EXPECT_FALSE(directory->FsyncWithDirOptions({}, nullptr, Options("CURRENT")).ok());
}

TEST_F(RocksFileSystemTest, AManifestIsNotSyncedWithoutWhatBrokenWalsHave) {
  const auto manifest = Create("MANIFEST-000002");
  const auto wal = Create("000003.log");
  ASSERT_TRUE(Append(wal.get()));
  fault_->FailOn({.operations = FaultFs::kAppend});
  EXPECT_TRUE(Append(wal.get()));
  EXPECT_EQ(environment_.errors->counts().wal, 1u);
  fault_->FailOn({.operations = FaultFs::kSync});
  EXPECT_FALSE(manifest->Sync({}, nullptr).ok());
  EXPECT_TRUE(manifest->Sync({}, nullptr).ok());
}

TEST_F(RocksFileSystemTest, AManifestHasItsSumsBesideIt) {
  WriteFile(path("MANIFEST-000002.sum"), "of one that was never the database's");
  const auto manifest = Create("MANIFEST-000002");
  EXPECT_TRUE(files()->FileExists(path("MANIFEST-000002.sum"), {}, nullptr).IsNotFound());
  ASSERT_TRUE(Append(manifest.get()));
  ASSERT_TRUE(manifest->Sync({}, nullptr).ok());
  EXPECT_EQ(ReadFile(path("MANIFEST-000002.sum")).size(), 16U);
  ASSERT_TRUE(files()->DeleteFile(path("MANIFEST-000002"), {}, nullptr).ok());
  EXPECT_TRUE(files()->FileExists(path("MANIFEST-000002.sum"), {}, nullptr).IsNotFound());
}

// A store with sums of a WAL that is not there has lost it, and is not opened.
TEST_F(RocksFileSystemTest, NoFileGoesBeforeItsSums) {
  WriteFile(path("000003.log"), "a record");
  WriteFile(path("000003.log.sum"), "of it");
  for (const FaultFs::Operation operation : {FaultFs::kLook, FaultFs::kDelete}) {
    fault_->FailOn({.operations = operation});
    EXPECT_FALSE(files()->DeleteFile(path("000003.log"), {}, nullptr).ok()) << operation;
    EXPECT_EQ(ReadFile(path("000003.log")), "a record") << operation;
  }
  EXPECT_TRUE(files()->DeleteFile(path("000003.log"), {}, nullptr).ok());
  EXPECT_TRUE(files()->FileExists(path("000003.log"), {}, nullptr).IsNotFound());
  EXPECT_TRUE(files()->FileExists(path("000003.log.sum"), {}, nullptr).IsNotFound());
}

TEST_F(RocksFileSystemTest, ASstFileWithoutAFooterOfOursIsRefused) {
  WriteFile(path("000003.sst"), std::string(100, 'x'));
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  EXPECT_TRUE(files()->NewRandomAccessFile(path("000003.sst"), {}, &file, nullptr).IsCorruption());
  EXPECT_EQ(file, nullptr);
}

// RocksDB takes it for the end of its manifest or its log.
TEST_F(RocksFileSystemTest, WhatIsReadInOrderIsReadWhole) {
  const auto written = Create("MANIFEST-000002");
  ASSERT_TRUE(written->Append("12345678", {}, nullptr).ok());
  const auto read = [&](size_t bytes) -> std::string {
    std::unique_ptr<rocksdb::FSSequentialFile> file;
    EXPECT_TRUE(files()->NewSequentialFile(path("MANIFEST-000002"), {}, &file, nullptr).ok());
    char scratch[100];
    rocksdb::Slice got;
    const rocksdb::IOStatus status = file->Read(bytes, {}, &got, scratch, nullptr);
    return status.ok() ? got.ToString() : status.ToString();
  };
  fault_->FailOn({.operations = FaultFs::kRead, .with = FaultFs::Failure::kShort});
  EXPECT_EQ(read(8), "12345678");
  fault_->FailOn({.operations = FaultFs::kRead, .with = FaultFs::Failure::kEnded});
  EXPECT_THAT(read(8), testing::HasSubstr("at offset 0: no more bytes; expected some, up to 8"));
  EXPECT_EQ(read(100), "12345678") << "which is where it ends";
}

// The first end that is met may be of an earlier moment than the size.
TEST_F(RocksFileSystemTest, ALogThatGrowsIsReadOn) {
  const auto written = Create("000003.log");
  ASSERT_TRUE(written->Append("12345678", {}, nullptr).ok());
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  ASSERT_TRUE(files()->NewSequentialFile(path("000003.log"), {}, &file, nullptr).ok());
  fault_->FailOn({.operations = FaultFs::kRead, .with = FaultFs::Failure::kEnded});

  char scratch[8];
  rocksdb::Slice got;
  ASSERT_TRUE(file->Read(8, {}, &got, scratch, nullptr).ok());
  EXPECT_EQ(got.ToString(), "12345678");
}

}  // namespace
}  // namespace hourcell::rocks_file_system_test
