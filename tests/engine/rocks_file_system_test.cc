#include "engine/rocks_file_system.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "tests/support/fault_fs.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

class RocksFileSystemTest : public testing::Test {
 protected:
  rocksdb::FileSystem* files() { return env_->GetFileSystem().get(); }
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
  std::unique_ptr<rocksdb::Env> env_ = NewRocksEnv(base_.get());
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

TEST_F(RocksFileSystemTest, TableFilesStayWhileNoManifestIsCertain) {
  Create("000001.sst");
  Create("000001.log");
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

}  // namespace
}  // namespace hourcell
