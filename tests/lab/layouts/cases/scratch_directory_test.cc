#include "bench/lab/layouts/cases/scratch_directory.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::layouts::scratch_directory_test {
namespace {

using testing::ContainsRegex;
using testing::StartsWith;

TEST(ScratchDirectoryTest, IsRemovedWithItsFiles) {
  TempDir dir;
  {
    ScratchDirectory scratch;
    ASSERT_OK(scratch.Make(dir.path(), "a"));
    EXPECT_THAT(scratch.path(), StartsWith(dir.file("a-")));
    std::ofstream(scratch.path() + "/file") << "x";
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(ScratchDirectoryTest, TwoOfOneNameAreApart) {
  TempDir dir;
  ScratchDirectory one;
  ScratchDirectory other;
  ASSERT_OK(one.Make(dir.path(), "a"));
  ASSERT_OK(other.Make(dir.path(), "a"));
  EXPECT_NE(one.path(), other.path());
}

TEST(ScratchDirectoryTest, WithoutAParentItIsAmongTemporaryFiles) {
  TempDir dir;
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", dir.path().c_str(), /*overwrite=*/1);
  ScratchDirectory scratch;
  EXPECT_OK(scratch.Make("", "a"));
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), /*overwrite=*/1);
  EXPECT_THAT(scratch.path(), StartsWith(dir.file("a-")));
}

TEST(ScratchDirectoryTest, NamesAParentThatIsNotThere) {
  TempDir dir;
  ScratchDirectory scratch;
  EXPECT_THAT(scratch.Make(dir.file("none"), "a"),
              StatusIs(absl::StatusCode::kUnavailable,
                       ContainsRegex("none/a-[A-Za-z0-9]{6}: No such file")));
  EXPECT_EQ(scratch.path(), "");
}

}  // namespace
}  // namespace hourcell::layouts::scratch_directory_test
