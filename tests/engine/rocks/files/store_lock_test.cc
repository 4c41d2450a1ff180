#include "engine/rocks/files/store_lock.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::store_lock_test {
namespace {

TEST(StoreLockTest, NamesTheProcessThatHoldsIt) {
  TempDir directory;
  const auto held = StoreLock::Acquire(directory.path());
  ASSERT_OK(held);

  const std::string pid = "pid " + std::to_string(getpid());
  EXPECT_THAT(StoreLock::Acquire(directory.path()),
              StatusIs(absl::StatusCode::kUnavailable, testing::HasSubstr(pid)));
}

TEST(StoreLockTest, IsFreeAgainWhenDropped) {
  TempDir directory;
  ASSERT_OK(StoreLock::Acquire(directory.path()));

  EXPECT_OK(StoreLock::Acquire(directory.path()));
}

TEST(StoreLockTest, SaysWhyADirectoryCannotBeLocked) {
  EXPECT_THAT(StoreLock::Acquire("/nonexistent"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       testing::HasSubstr("No such file or directory")));
}

TEST(StoreLockTest, MakesTheDirectoryOnlyIfItMay) {
  TempDir directory;
  const std::string path = directory.file("a/b");
  EXPECT_THAT(MakeStoreDirectory(path, /*create_if_missing=*/false),
              StatusIs(absl::StatusCode::kNotFound, testing::HasSubstr("expected a store")));
  EXPECT_OK(MakeStoreDirectory(path, /*create_if_missing=*/true));
  EXPECT_OK(MakeStoreDirectory(path, /*create_if_missing=*/false));
  EXPECT_THAT(MakeStoreDirectory("/dev/null/store", /*create_if_missing=*/true),
              StatusIs(absl::StatusCode::kFailedPrecondition, testing::HasSubstr("create")));
}

TEST(StoreLockTest, NoStoreIsMadeAmongTheFilesOfAnother) {
  TempDir directory;
  std::filesystem::create_directories(directory.file("x/journal"));
  std::filesystem::create_directories(directory.file("x/db"));
  for (const char* const file : {"x/LOCK", "x/db/CURRENT"})
    std::ofstream(directory.file(file)) << "x";
  const auto refused =
      StatusIs(absl::StatusCode::kFailedPrecondition, testing::HasSubstr("within the store"));
  EXPECT_THAT(MakeStoreDirectory(directory.file("x/journal"), true), refused);
  EXPECT_THAT(MakeStoreDirectory(directory.file("x/journal/"), true), refused);
  EXPECT_THAT(MakeStoreDirectory(directory.file("x/db/a/b"), true), refused);
  EXPECT_THAT(MakeStoreDirectory(directory.file("x/../x/db"), true), refused);
  EXPECT_OK(MakeStoreDirectory(directory.file("x"), true));
  EXPECT_OK(MakeStoreDirectory(directory.file("y/journal"), true));  // its parent is not a store
}

TEST(StoreLockTest, AStoreThatLostItsTablesIsNotANewOne) {
  TempDir directory;
  std::filesystem::create_directories(directory.file("journal"));
  EXPECT_THAT(MakeStoreDirectory(directory.path(), /*create_if_missing=*/true),
              StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("db/CURRENT is missing")));
}

}  // namespace
}  // namespace hourcell::store_lock_test
