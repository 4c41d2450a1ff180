#include "engine/rocks/files/rocks_error_watch.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace hourcell::rocks_error_watch_test {
namespace {

using Reason = rocksdb::BackgroundErrorReason;

TEST(RocksErrorWatchTest, TakesWhatCanBeDoneAgain) {
  RocksErrorWatch watch;
  for (const Reason reason : {Reason::kFlush, Reason::kFlushNoWAL, Reason::kCompaction,
                              Reason::kManifestWrite, Reason::kManifestWriteNoWAL}) {
    rocksdb::Status error = rocksdb::Status::NoSpace();
    watch.OnBackgroundError(reason, &error);
    EXPECT_TRUE(error.ok()) << "RocksDB is not to stop";
  }
  EXPECT_EQ(watch.counts().background, 5u);
  EXPECT_EQ(watch.counts().wal, 0u);
  EXPECT_TRUE(watch.last().IsNoSpace());
  EXPECT_TRUE(watch.stopped().ok());
  EXPECT_EQ(watch.TakeManifestFailures(), 2);
  EXPECT_EQ(watch.TakeManifestFailures(), 0);
}

TEST(RocksErrorWatchTest, LeavesDamageToRocksDb) {
  RocksErrorWatch watch;
  rocksdb::Status error = rocksdb::Status::Corruption("block checksum mismatch");
  watch.OnBackgroundError(Reason::kCompaction, &error);
  EXPECT_TRUE(error.IsCorruption());
  EXPECT_TRUE(watch.stopped().IsCorruption());
  EXPECT_EQ(watch.counts().background, 1u);
}

TEST(RocksErrorWatchTest, CountsFailuresOfWalsApart) {
  RocksErrorWatch watch;
  watch.CountWalFailure(rocksdb::Status::IOError("sync"));
  EXPECT_EQ(watch.counts(), (RocksErrorWatch::Counts{.background = 0, .wal = 1}));
  EXPECT_TRUE(watch.last().IsIOError());
}

TEST(RocksErrorWatchTest, LetsRocksDbNotGoOnByItself) {
  RocksErrorWatch watch;
  bool auto_recovery = true;
  watch.OnErrorRecoveryBegin(Reason::kFlush, rocksdb::Status::NoSpace(), &auto_recovery);
  EXPECT_FALSE(auto_recovery);
}

TEST(RocksErrorWatchTest, WakesWhoWaitsForAFailure) {
  RocksErrorWatch watch;
  const RocksErrorWatch::Counts seen = watch.counts();
  std::thread failing([&watch] { watch.CountWalFailure(rocksdb::Status::IOError("append")); });
  while (watch.counts() == seen)
    watch.WaitForOthers(seen, std::chrono::hours(1));
  failing.join();
}

}  // namespace
}  // namespace hourcell::rocks_error_watch_test
