// The bounds of the memory and the file handles of tables, on RocksDB itself.

#include "engine/rocks/rocks_options.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#if __has_include(<rocksdb/advanced_cache.h>)  // the queries of a cache, from RocksDB 8 on
#include <rocksdb/advanced_cache.h>
#endif

#include "codec/base/random.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_options_test {
namespace {

constexpr size_t kCacheBytes = 8 << 20;
constexpr int kRowsOfAFile = 300;

class RocksOptionsTest : public testing::Test {
 protected:
  // The data table as a store opens it, with `files` files that stay as they are.
  void Open(int open_files_max, int files) {
    Options options = TinyOptions(directory_.path());
    options.write_buffer_bytes = 1 << 20;
    options.open_files_max = open_files_max;
    rocksdb::Options rocks(RocksDbOptions(options),
                           RocksTableOptions(options, TableId::kData, cache_));
    rocks.disable_auto_compactions = true;
    rocks.env = env_.get();
    rocksdb::DB* raw = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(rocks, directory_.file("db"), &raw).ok());
    db_.reset(raw);
    Random random(1);
    files_ = files;
    for (int file = 0; file < files; ++file) {
      for (int row = 0; row < kRowsOfAFile; ++row) {
        std::string value(100, '\0');
        for (char& c : value)
          c = static_cast<char>(random.Next());
        ASSERT_TRUE(db_->Put({}, Key(file, row), value).ok());
      }
      ASSERT_TRUE(db_->Flush({}).ok());
    }
  }

  static std::string Key(int file, int row) { return fmt::format("{:04}-{:04}", file, row); }

  // `rows` rows of each file.
  void ReadEachFile(int rows) {
    std::string value;
    for (int file = 0; file < files_; ++file) {
      for (int row = 0; row < rows; ++row)
        ASSERT_TRUE(db_->Get({}, Key(file, row), &value).ok());
    }
  }

  size_t HandlesOfTables() const {
    size_t handles = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
      const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
      if (target.starts_with(directory_.path()) && target.ends_with(".sst")) ++handles;
    }
    return handles;
  }

  uint64_t Property(const std::string& name) {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty(name, &value));
    return value;
  }

  // How often an SST file is opened while each file is read once.
  uint64_t OpensOfAPass() {
    std::atomic<uint64_t> opens = 0;
    fs_->SetHook([&opens](FaultFs::Operation operation, const std::string& path) {
      if (operation == FaultFs::kOpen && FaultFs::KindOf(path) == FaultFs::kSstFile) ++opens;
    });
    ReadEachFile(1);
    fs_->SetHook(nullptr);
    return opens;
  }

  TempDir directory_;
  const std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env_ = NewRestlessEnv(fs_);
  const std::shared_ptr<rocksdb::Cache> cache_ = rocksdb::NewLRUCache(kCacheBytes);
  std::unique_ptr<rocksdb::DB> db_;
  int files_ = 0;
};

TEST_F(RocksOptionsTest, WhatOpenFilesKeepCountsInTheCacheAndBlocksMakeRoom) {
  ASSERT_NO_FATAL_FAILURE(Open(/*open_files_max=*/512, /*files=*/200));
  ASSERT_NO_FATAL_FAILURE(ReadEachFile(kRowsOfAFile));

  const uint64_t kept = Property(rocksdb::DB::Properties::kEstimateTableReadersMem);
  EXPECT_GT(kept, uint64_t{200} * 500) << "the index and filter of each file";
  EXPECT_GE(cache_->GetPinnedUsage(), kept);
  // 6 MB of blocks were read, too.
  EXPECT_LE(cache_->GetUsage(), kCacheBytes);
}

// RocksDB has its open files in 64 parts, and rounds the size of a part up.
TEST_F(RocksOptionsTest, NoMoreFilesAreOpenThanIsWanted) {
  ASSERT_NO_FATAL_FAILURE(Open(/*open_files_max=*/20, /*files=*/130));
  ASSERT_NO_FATAL_FAILURE(ReadEachFile(1));

  EXPECT_LE(HandlesOfTables(), 64u);
  EXPECT_GT(HandlesOfTables(), 0u);
  // Nearly every file that is read is opened again, and no more than once.
  const uint64_t opens = OpensOfAPass();
  EXPECT_GE(opens, 130u - 64u);
  EXPECT_LE(opens, 130u);
  std::printf("130 files, 64 of them open at most: %lu are opened in a pass over all\n", opens);
}

TEST_F(RocksOptionsTest, WhatIsOpenIsNotOpenedAgain) {
  ASSERT_NO_FATAL_FAILURE(Open(/*open_files_max=*/512, /*files=*/130));
  ASSERT_NO_FATAL_FAILURE(ReadEachFile(1));

  EXPECT_EQ(HandlesOfTables(), 130u);
  EXPECT_EQ(OpensOfAPass(), 0u);
}

}  // namespace
}  // namespace hourcell::rocks_options_test
