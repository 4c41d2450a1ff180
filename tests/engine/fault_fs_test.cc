// FaultFs itself (tests/support): what it fails and what it loses is what the tests that use it
// rely on.

#include "tests/support/fault_fs.h"

#include <set>

#include "tests/engine/journal_testing.h"

namespace hourcell {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using testing::ElementsAre;

class FaultFsTest : public testing::Test {
 protected:
  std::unique_ptr<rocksdb::FSWritableFile> Create(const std::string& name) {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    EXPECT_TRUE(fs_.NewWritableFile(directory_.file(name), {}, &file, nullptr).ok());
    return file;
  }

  static rocksdb::IOStatus Append(rocksdb::FSWritableFile* file, const std::string& text) {
    return file->Append(text, IOOptions(), nullptr);
  }

  static bool Sync(rocksdb::FSWritableFile* file) { return file->Sync(IOOptions(), nullptr).ok(); }

  bool SyncDirectory() {
    std::unique_ptr<rocksdb::FSDirectory> directory;
    EXPECT_TRUE(fs_.NewDirectory(directory_.path(), IOOptions(), &directory, nullptr).ok());
    return directory->Fsync(IOOptions(), nullptr).ok();
  }

  // Everything in the directory, on disk.
  void SyncAll(rocksdb::FSWritableFile* file) { ASSERT_TRUE(Sync(file) && SyncDirectory()); }

  TempDir directory_;
  FaultFs fs_;
};

TEST_F(FaultFsTest, FailsTheNthOperationOfItsKind) {
  const auto file = Create("a");
  fs_.FailOn({.operations = FaultFs::kAppend, .nth = 2, .with = FaultFs::Failure::kNoSpace});
  EXPECT_TRUE(Append(file.get(), "1").ok());
  EXPECT_TRUE(Sync(file.get()));
  EXPECT_TRUE(Append(file.get(), "2").IsNoSpace());
  EXPECT_TRUE(Append(file.get(), "3").ok());
  EXPECT_EQ(ReadFile(directory_.file("a")), "13");
  EXPECT_EQ(fs_.Count(FaultFs::kAppend), 3u);
}

TEST_F(FaultFsTest, LastingFaultsAndShortWrites) {
  const auto file = Create("a");
  fs_.FailOn({.is_lasting = true, .append_bytes = 2});
  EXPECT_TRUE(Append(file.get(), "abc").IsIOError());
  EXPECT_TRUE(Append(file.get(), "d").IsIOError());
  EXPECT_FALSE(Sync(file.get()));
  fs_.Heal();
  EXPECT_TRUE(Append(file.get(), "!").ok());
  EXPECT_EQ(ReadFile(directory_.file("a")), "abd!");
}

TEST_F(FaultFsTest, WhatIsSyncedSurvivesAndTheRestMayNot) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const auto file = Create("a");
    ASSERT_TRUE(Append(file.get(), "synced").ok());
    SyncAll(file.get());
    ASSERT_TRUE(Append(file.get(), " not").ok());
    fs_.LoseUnsynced(seed);
    const std::string content = ReadFile(directory_.file("a"));
    ASSERT_TRUE(content.starts_with("synced")) << "seed " << seed;
    ASSERT_LE(content.size(), 10u);
    outcomes.insert(content);
    EXPECT_TRUE(Append(file.get(), "dead").IsIOError());
    EXPECT_EQ(ReadFile(directory_.file("a")), content);
  }
  EXPECT_TRUE(outcomes.contains("synced"));
  EXPECT_TRUE(outcomes.contains("synced not"));
  EXPECT_TRUE(outcomes.contains("synced n"));
  EXPECT_TRUE(outcomes.contains(std::string("synced\0\0\0\0", 10)));
}

TEST_F(FaultFsTest, PagesAreLostFromTheMiddleToo) {
  size_t holes = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const auto file = Create("a");
    ASSERT_TRUE(Append(file.get(), std::string(8 * 4096, 'x')).ok());
    ASSERT_TRUE(SyncDirectory());
    fs_.LoseUnsynced(seed);
    const std::string content = ReadFile(directory_.file("a"));
    const size_t hole = content.find('\0');
    if (hole != std::string::npos && content.find('x', hole) != std::string::npos) ++holes;
  }
  EXPECT_GT(holes, 10u);
}

TEST_F(FaultFsTest, ACutThatIsNotSyncedMayBeUndone) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const auto file = Create("a");
    ASSERT_TRUE(Append(file.get(), "0123456789").ok());
    SyncAll(file.get());
    ASSERT_TRUE(file->Truncate(7, IOOptions(), nullptr).ok());
    ASSERT_TRUE(file->Truncate(4, IOOptions(), nullptr).ok());
    fs_.LoseUnsynced(seed);
    outcomes.insert(ReadFile(directory_.file("a")));
  }
  EXPECT_THAT(outcomes, ElementsAre("0123", "0123456789"));
}

TEST_F(FaultFsTest, NamesAreLostInOrder) {
  std::set<std::vector<std::string>> outcomes;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    std::filesystem::remove_all(directory_.path());
    std::filesystem::create_directory(directory_.path());
    const auto first = Create("1");
    SyncAll(first.get());
    const auto second = Create("2");
    ASSERT_TRUE(fs_.DeleteFile(directory_.file("1"), IOOptions(), nullptr).ok());
    fs_.LoseUnsynced(seed);
    outcomes.insert(FilesIn(directory_.path()));
  }
  using Names = std::vector<std::string>;
  EXPECT_THAT(outcomes, ElementsAre(Names{"1"}, Names{"1", "2"}, Names{"2"}));
}

TEST_F(FaultFsTest, ARenameHappenedOrNot) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const auto old_file = Create("CURRENT");
    ASSERT_TRUE(Append(old_file.get(), "old").ok());
    SyncAll(old_file.get());
    const auto new_file = Create("new");
    ASSERT_TRUE(Append(new_file.get(), "new").ok());
    SyncAll(new_file.get());
    ASSERT_TRUE(
        fs_.RenameFile(directory_.file("new"), directory_.file("CURRENT"), IOOptions(), nullptr)
            .ok());
    fs_.LoseUnsynced(seed);
    const std::string content = ReadFile(directory_.file("CURRENT"));
    EXPECT_EQ(std::filesystem::exists(directory_.file("new")), content == "old");
    outcomes.insert(content);
  }
  EXPECT_THAT(outcomes, ElementsAre("new", "old"));
}

}  // namespace
}  // namespace hourcell
