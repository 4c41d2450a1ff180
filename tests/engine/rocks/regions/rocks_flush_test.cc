#include "engine/rocks/regions/rocks_flush.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include "engine/rocks/files/rocks_error_watch.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_flush_test {
namespace {

class RocksFlushTest : public testing::Test {
 protected:
  void SetUp() override {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.env = env_.get();
    options.listeners = {errors_};
    options.max_write_buffer_number = 64;  // as the store has: RocksDB begins no flush in a stall
    rocksdb::DB* raw = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, directory_.file("db"), &raw).ok());
    db_.reset(raw);
  }
  void Put(const std::string& key) {
    rocksdb::WriteOptions unlogged;
    unlogged.disableWAL = true;
    ASSERT_TRUE(db_->Put(unlogged, key, "value").ok());
  }
  uint64_t Property(const std::string& name) {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty(name, &value));
    return value;
  }

  TempDir directory_;
  std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> env_ = NewRestlessEnv(fs_);
  std::shared_ptr<RocksErrorWatch> errors_ = std::make_shared<RocksErrorWatch>();
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(RocksFlushTest, SaysWhatFailed) {
  Put("a");
  fs_->FailOn({.operations = FaultFs::kCreate, .with = FaultFs::Failure::kNoSpace});
  EXPECT_TRUE(FlushFamily(db_.get(), db_->DefaultColumnFamily(), *errors_).IsNoSpace());
}

TEST_F(RocksFlushTest, WaitsAfterAFailureToo) {
  Put("a");
  fs_->FailOn({.operations = FaultFs::kCreate, .with = FaultFs::Failure::kNoSpace});
  EXPECT_FALSE(FlushFamily(db_.get(), db_->DefaultColumnFamily(), *errors_).ok());

  for (int i = 0; i < 50; ++i) {
    Put("b" + std::to_string(i));
    const rocksdb::Status flushed = FlushFamily(db_.get(), db_->DefaultColumnFamily(), *errors_);
    ASSERT_TRUE(flushed.ok()) << "flush " << i << ": " << flushed.ToString();
    ASSERT_EQ(Property(rocksdb::DB::Properties::kNumImmutableMemTable), 0u);
    ASSERT_EQ(Property(rocksdb::DB::Properties::kNumEntriesActiveMemTable), 0u);
  }
}

// Another family's failure, too, but not permanently.
TEST_F(RocksFlushTest, OfAFamilyThatIsNotTheDefaultOne) {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  rocksdb::ColumnFamilyOptions options;
  options.max_write_buffer_number = 64;
  ASSERT_TRUE(db_->CreateColumnFamily(options, "other", &family).ok());
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_TRUE(db_->Put(unlogged, family, "a", "value").ok());
  fs_->FailOn({.operations = FaultFs::kCreate, .with = FaultFs::Failure::kNoSpace});
  EXPECT_FALSE(FlushFamily(db_.get(), family, *errors_).ok());
  EXPECT_TRUE(FlushFamily(db_.get(), family, *errors_).ok());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(family).ok());
}

// RocksDB begins a flush of such a family and never makes it.
TEST_F(RocksFlushTest, OfAFamilyThatWasDroppedWithRowsInMemory) {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(rocksdb::ColumnFamilyOptions(), "other", &family).ok());
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_TRUE(db_->Put(unlogged, family, "a", "value").ok());
  ASSERT_TRUE(DropFamily(db_.get(), family, errors_.get()).ok());
  EXPECT_TRUE(FlushFamily(db_.get(), family, *errors_).IsColumnFamilyDropped());
  EXPECT_TRUE(FlushFamily(db_.get(), db_->DefaultColumnFamily(), *errors_).ok());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(family).ok());
}

}  // namespace
}  // namespace hourcell::rocks_flush_test
