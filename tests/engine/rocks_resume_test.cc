#include "engine/rocks_resume.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "engine/rocks_table_store.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr FaultFs::Failure kNoSpace = FaultFs::Failure::kNoSpace;

// On a store, as it is there that a database is resumed.
class RocksResumeTest : public testing::Test {
 protected:
  void SetUp() override { Open(); }
  void Open() {
    store_.reset();
    Options options = TinyOptions(directory_.path());
    options.env = env_.get();
    auto opened = OpenRocksTableStore(directory_.file("db"), options);
    ASSERT_OK(opened);
    store_ = *std::move(opened);
  }
  absl::Status Set(const std::string& key) {
    const Mutation row{TableId::kUid, Mutation::Kind::kSet, key, "value"};
    return store_->Apply({&row, 1}, /*sync=*/false);
  }
  bool Has(const std::string& key) {
    const auto row = store_->Snapshot()->Get(TableId::kUid, key);
    return row.ok() && row->has_value();
  }
  // Until the store takes rows again.
  absl::Status SetInTime(const std::string& key) {
    absl::Status set;
    for (int i = 0; i < 100; ++i) {
      set = Set(key);
      if (set.ok()) return set;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return set;
  }

  TempDir directory_;
  std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(fs_);
  std::unique_ptr<TableStore> store_;
};

// Nothing is in memory, so that there is nothing to flush, and with it no new WAL by itself.
TEST_F(RocksResumeTest, AStoreWithNothingInMemorySurvivesAFullDisk) {
  fs_->FailOn({.operations = FaultFs::kAppend, .is_lasting = true, .with = kNoSpace});
  EXPECT_FALSE(Set("a").ok());
  EXPECT_FALSE(store_->Sync().ok());
  fs_->Heal();

  ASSERT_OK(SetInTime("b"));
  EXPECT_OK(store_->Sync());
  EXPECT_OK(store_->Flush(TableId::kUid));
  Open();
  EXPECT_TRUE(Has("b"));
}

TEST_F(RocksResumeTest, AWalThatCouldNotBeWrittenIsNotSynced) {
  ASSERT_OK(Set("a"));
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    fs_->FailOn({.operations = FaultFs::kAppend, .with = kNoSpace});
    Set("b").IgnoreError();
    store_->Sync().IgnoreError();
    ASSERT_OK(SetInTime("c"));
    ASSERT_OK(store_->Sync());
  }
  Open();
  EXPECT_TRUE(Has("a"));
  EXPECT_TRUE(Has("c"));
}

// RocksDB must not try to go on by itself as well.
TEST_F(RocksResumeTest, AFullDiskForAWhileIsSurvived) {
  for (int i = 0; i < 50; ++i)
    ASSERT_OK(Set("a" + std::to_string(i)));
  // An empty file can still be made.
  fs_->FailOn({.operations = FaultFs::kAppend, .is_lasting = true, .with = kNoSpace});
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(store_->Flush(TableId::kUid).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
  }
  fs_->Heal();
  ASSERT_OK(SetInTime("b"));
  EXPECT_OK(store_->Flush(TableId::kUid));
  Open();
  EXPECT_TRUE(Has("a49"));
  EXPECT_TRUE(Has("b"));
}

}  // namespace
}  // namespace hourcell
