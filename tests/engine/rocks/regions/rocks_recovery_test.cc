#include "engine/rocks/regions/rocks_recovery.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "engine/rocks/rocks_table_store.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_recovery_test {
namespace {

constexpr FaultFs::Failure kNoSpace = FaultFs::Failure::kNoSpace;

// On a store, as it is there that a database recovers.
class RocksRecoveryTest : public testing::Test {
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
  absl::Status Set(const std::string& key, bool sync = false) {
    const Mutation row{TableId::kUid, Mutation::Kind::kSet, key, "value"};
    return store_->Apply({&row, 1}, sync);
  }
  bool Has(const std::string& key) {
    const auto row = store_->Snapshot()->Get(TableId::kUid, key);
    return row.ok() && row->has_value();
  }
  // Until the store takes rows again.
  absl::Status SetInTime(const std::string& key) {
    absl::Status set;
    for (int i = 0; i < 200; ++i) {
      set = Set(key);
      if (set.ok()) return set;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return set;
  }
  // As after kill -9: memory is lost, and so is all that is not on disk.
  void LosePower() {
    fs_->FailOn({.is_lasting = true});
    store_.reset();
    fs_->LoseUnsynced(/*seed=*/1, FaultFs::Loss::kEnds);
    fs_->Heal();
    Open();
  }

  TempDir directory_;
  std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> env_ = NewRestlessEnv(fs_);
  std::unique_ptr<TableStore> store_;
};

// The row whose log failed is put into a file, and acknowledged.
TEST_F(RocksRecoveryTest, AFailureThatPassesIsNotSeen) {
  for (const FaultFs::Operation operation :
       {FaultFs::kAppend, FaultFs::kSync, FaultFs::kDirectorySync, FaultFs::kCreate}) {
    SCOPED_TRACE(operation);
    const std::string key = "a" + std::to_string(operation);
    fs_->FailOn({.operations = operation});
    ASSERT_OK(SetInTime(key));
    ASSERT_OK(Set(key + "s", /*sync=*/true));
    ASSERT_OK(store_->CheckWritten());
    fs_->Heal();
    LosePower();
    EXPECT_TRUE(Has(key + "s"));
  }
}

TEST_F(RocksRecoveryTest, NothingIsAcknowledgedThatIsInNoLogAndNoFile) {
  ASSERT_OK(Set("before", /*sync=*/true));
  fs_->FailOn({.is_lasting = true, .with = kNoSpace});
  EXPECT_FALSE(Set("a").ok());
  EXPECT_FALSE(Set("b", /*sync=*/true).ok());
  EXPECT_FALSE(store_->Sync().ok());
  EXPECT_FALSE(store_->CheckWritten().ok());
  EXPECT_FALSE(store_->Flush(TableId::kUid).ok());
  const Mutation row{TableId::kData, Mutation::Kind::kSet, "c", "value"};
  EXPECT_FALSE(store_->ApplyUnlogged({&row, 1}).ok()) << "memory would fill";
  EXPECT_TRUE(Has("before")) << "reads go on";
  LosePower();
  EXPECT_TRUE(Has("before"));
  EXPECT_OK(store_->CheckWritten());
}

// Memory is empty, so that no flush is needed, and no new WAL appears with one.
TEST_F(RocksRecoveryTest, AStoreWithNothingInMemorySurvivesAFullDisk) {
  fs_->FailOn({.operations = FaultFs::kAppend, .is_lasting = true, .with = kNoSpace});
  EXPECT_FALSE(Set("a").ok());
  EXPECT_FALSE(store_->Sync().ok());
  fs_->Heal();

  ASSERT_OK(SetInTime("b"));
  EXPECT_OK(store_->Sync());
  EXPECT_OK(store_->Flush(TableId::kUid));
  LosePower();
  EXPECT_TRUE(Has("b"));
}

TEST_F(RocksRecoveryTest, AFailureAfterAFailure) {
  ASSERT_OK(Set("a"));
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    fs_->FailOn({.operations = FaultFs::kAppend, .with = kNoSpace});
    Set("b").IgnoreError();
    store_->Sync().IgnoreError();
    ASSERT_OK(SetInTime("c" + std::to_string(round)));
    ASSERT_OK(store_->Sync());
  }
  LosePower();
  EXPECT_TRUE(Has("a"));
  EXPECT_TRUE(Has("c2"));
}

TEST_F(RocksRecoveryTest, AFullDiskForAWhileIsSurvived) {
  for (int i = 0; i < 50; ++i)
    ASSERT_OK(Set("a" + std::to_string(i)));
  // An empty file can still be made.
  fs_->FailOn({.operations = FaultFs::kAppend, .is_lasting = true, .with = kNoSpace});
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(store_->Flush(TableId::kUid).ok());
  fs_->Heal();
  ASSERT_OK(SetInTime("b"));
  EXPECT_OK(store_->Flush(TableId::kUid));
  LosePower();
  EXPECT_TRUE(Has("a49"));
  EXPECT_TRUE(Has("b"));
}

// It needs no write and no call.
TEST_F(RocksRecoveryTest, RecoversByItself) {
  ASSERT_OK(Set("a"));
  fs_->FailOn({.operations = FaultFs::kAppend, .is_lasting = true, .with = kNoSpace});
  EXPECT_FALSE(Set("b").ok());
  fs_->Heal();
  const uint64_t before = fs_->Count(FaultFs::kSync);
  for (int i = 0; i < 200 && fs_->Count(FaultFs::kSync) == before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_GT(fs_->Count(FaultFs::kSync), before) << "no SST file was written";
}

}  // namespace
}  // namespace hourcell::rocks_recovery_test
