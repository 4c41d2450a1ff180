#include "engine/rocks_error_watch.h"

#include <gtest/gtest.h>

namespace hourcell {
namespace {

TEST(RocksErrorWatchTest, RemembersAnError) {
  RocksErrorWatch watch;
  EXPECT_FALSE(watch.has_failed());
  rocksdb::Status error = rocksdb::Status::NoSpace();
  watch.OnBackgroundError(rocksdb::BackgroundErrorReason::kFlush, &error);
  EXPECT_TRUE(watch.has_failed());
  EXPECT_TRUE(error.IsNoSpace()) << "RocksDB is to stop";

  watch.Forget();
  EXPECT_FALSE(watch.has_failed());
}

TEST(RocksErrorWatchTest, LetsRocksDbNotGoOnByItself) {
  RocksErrorWatch watch;
  bool auto_recovery = true;
  watch.OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason::kFlush, rocksdb::Status::NoSpace(),
                             &auto_recovery);
  EXPECT_FALSE(auto_recovery);
}

}  // namespace
}  // namespace hourcell
