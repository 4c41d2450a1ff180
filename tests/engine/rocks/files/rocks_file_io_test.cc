#include "engine/rocks/files/rocks_file_io.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "codec/base/crc32c.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_file_io_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;

class RocksFileIoTest : public testing::Test {
 protected:
  TempDir dir_;
  std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(fs_);
  FileIo io_{env_.get()};
};

TEST_F(RocksFileIoTest, CopiesTheFirstBytesAndTellsTheirCrc) {
  // More than a piece.
  const std::string content = std::string(3 << 20, 'a') + "end";
  ASSERT_OK(io_.Write(dir_.file("a"), content));

  EXPECT_THAT(io_.Copy(dir_.file("a"), dir_.file("b"), content.size()),
              IsOkAndHolds(Crc32c(content)));
  EXPECT_THAT(io_.Copy(dir_.file("a"), dir_.file("c"), 5), IsOkAndHolds(Crc32c("aaaaa")));
  EXPECT_THAT(io_.Crc(dir_.file("a"), 5), IsOkAndHolds(Crc32c("aaaaa")));

  EXPECT_EQ(ReadFile(dir_.file("b")), content);
  EXPECT_EQ(ReadFile(dir_.file("c")), "aaaaa");
  EXPECT_THAT(io_.Read(dir_.file("c")), IsOkAndHolds(std::string("aaaaa")));
  EXPECT_THAT(io_.Copy(dir_.file("c"), dir_.file("d"), 6),
              StatusIs(StatusCode::kDataLoss, HasSubstr("expected 6 bytes, got 5")));
}

TEST_F(RocksFileIoTest, WhatIsNotThereIsNotFound) {
  EXPECT_THAT(io_.Bytes(dir_.file("a")), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(io_.Read(dir_.file("a")), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(io_.List(dir_.file("a")), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(io_.Delete(dir_.file("a")), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(io_.Exists(dir_.file("a")), IsOkAndHolds(false));
}

TEST_F(RocksFileIoTest, MakesDirectoriesAndRemovesEmptyOnesOnly) {
  ASSERT_OK(io_.MakeDirectories(dir_.file("a/b/c")));
  ASSERT_OK(io_.Write(dir_.file("a/b/f"), ""));
  EXPECT_THAT(io_.List(dir_.file("a/b")), IsOkAndHolds(ElementsAre("c", "f")));
  EXPECT_THAT(io_.DeleteDirectory(dir_.file("a/b")),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("got c in it")));
  EXPECT_OK(io_.DeleteDirectory(dir_.file("a/b/c")));
  EXPECT_THAT(io_.Exists(dir_.file("a/b/c")), IsOkAndHolds(false));
}

TEST_F(RocksFileIoTest, ALockIsHeldOnce) {
  absl::StatusOr<std::unique_ptr<HeldFileLock>> lock = io_.Lock(dir_.file("LOCK"));
  ASSERT_OK(lock);
  EXPECT_THAT(io_.Lock(dir_.file("LOCK")), StatusIs(StatusCode::kUnavailable));
  lock->reset();
  EXPECT_OK(io_.Lock(dir_.file("LOCK")));
}

TEST_F(RocksFileIoTest, WhatIsWrittenIsThereAfterAPowerLossOnceItsNameIsSynced) {
  ASSERT_OK(io_.Write(dir_.file("a.tmp"), "content"));
  ASSERT_OK(io_.Rename(dir_.file("a.tmp"), dir_.file("a")));
  ASSERT_OK(io_.SyncDirectory(dir_.path()));
  fs_->LoseUnsynced(1);
  EXPECT_EQ(ReadFile(dir_.file("a")), "content");
}

TEST_F(RocksFileIoTest, EachFaultIsTold) {
  ASSERT_OK(io_.Write(dir_.file("a"), "content"));
  for (const FaultFs::Operation operation : {FaultFs::kCreate, FaultFs::kAppend, FaultFs::kSync}) {
    fs_->FailOn({.operations = operation});
    EXPECT_THAT(io_.Copy(dir_.file("a"), dir_.file("b"), 7), StatusIs(StatusCode::kUnavailable))
        << operation;
    fs_->Heal();
  }
  fs_->FailOn({.operations = FaultFs::kDirectorySync});
  EXPECT_THAT(io_.SyncDirectory(dir_.path()), StatusIs(StatusCode::kUnavailable));
}

}  // namespace
}  // namespace hourcell::rocks_file_io_test
