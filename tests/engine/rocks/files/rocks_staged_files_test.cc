#include "engine/rocks/files/rocks_staged_files.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/sst_file_writer.h>

#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_staged_files_test {
namespace {

class RocksStagedFilesTest : public testing::Test {
 protected:
  std::string Make(const std::string& name) {
    std::filesystem::create_directories(directory_.path() + "/db");
    std::filesystem::create_directories(directory_.path() + "/db.split/data.1");
    const std::string path = directory_.path() + "/" + name;
    WriteFile(path, "0123456789");
    return path;
  }

  // As a new open of the file reads it; empty if that fails.
  std::string Read(const std::string& path, uint64_t offset, size_t bytes) {
    std::unique_ptr<rocksdb::FSRandomAccessFile> file;
    EXPECT_TRUE(fs_->NewRandomAccessFile(path, {}, &file, nullptr).ok());
    file = staged_.Keep(path, std::move(file));
    std::string scratch(bytes, '\0');
    rocksdb::Slice read;
    const rocksdb::IOStatus status = file->Read(offset, bytes, {}, &read, scratch.data(), nullptr);
    return status.ok() ? read.ToString() : "";
  }

  // An SST file of many blocks.
  std::string WriteTable() {
    const std::string path = directory_.file("000001.sst");
    const rocksdb::Options options;
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    EXPECT_TRUE(writer.Open(path).ok());
    for (int i = 0; i < 2000; ++i)
      EXPECT_TRUE(writer.Put(fmt::format("{:04}", i), fmt::format("value {}", i * i)).ok());
    rocksdb::ExternalSstFileInfo info;
    EXPECT_TRUE(writer.Finish(&info).ok());
    return path;
  }

  TempDir directory_;
  const std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  RocksStagedFiles staged_{directory_.path() + "/db"};
};

TEST_F(RocksStagedFilesTest, WhatWasReadOfOneIsReadAgainWhateverTheDiskSays) {
  const std::string path = Make("db.split/data.1/000003.sst");
  EXPECT_EQ(Read(path, 2, 5), "23456");
  fs_->FailOn({.operations = FaultFs::kRead, .is_lasting = true});
  EXPECT_EQ(Read(path, 2, 5), "23456");
  EXPECT_EQ(Read(directory_.path() + "/db.split/data.1//000003.sst", 3, 2), "34");
  EXPECT_EQ(Read(path, 2, 6), "") << "not all of it was read";
  EXPECT_EQ(Read(path, 1, 2), "");

  staged_.Forget(path);
  EXPECT_EQ(Read(path, 2, 5), "");
}

TEST_F(RocksStagedFilesTest, OthersAreReadFromTheDisk) {
  const std::string path = Make("db/000003.sst");
  EXPECT_EQ(Read(path, 2, 5), "23456");
  fs_->FailOn({.operations = FaultFs::kRead});
  EXPECT_EQ(Read(path, 2, 5), "");
}

TEST_F(RocksStagedFilesTest, ADamagedEndIsTold) {
  const std::string path = WriteTable();
  const std::string whole = ReadFile(path);
  EXPECT_OK(ReadEnds(rocksdb::Env::Default(), {}, path));

  const size_t last_row = whole.rfind("value");
  for (const size_t at : {size_t{20}, last_row}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    WriteFile(path, damaged);
    EXPECT_THAT(ReadEnds(rocksdb::Env::Default(), {}, path),
                StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr(path)));
  }
}

}  // namespace
}  // namespace hourcell::rocks_staged_files_test
