// FaultFs itself (tests/support): the faults and the losses on which other tests rely.

#include "tests/support/fault_fs.h"

#include <set>

#include <fmt/format.h>

#include "tests/engine/journal/journal_testing.h"

namespace hourcell::fault_fs_test {
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

  // A file of these bytes, in order.
  std::string Written(const std::string& name, const std::string& text) {
    EXPECT_TRUE(Append(Create(name).get(), text).ok());
    return directory_.file(name);
  }

  // The result of one read of the whole file, from the beginning.
  std::string ReadOnce(const std::string& path) {
    std::unique_ptr<rocksdb::FSRandomAccessFile> file;
    EXPECT_TRUE(fs_.NewRandomAccessFile(path, {}, &file, nullptr).ok());
    char scratch[100];
    rocksdb::Slice got;
    const bool is_read = file->Read(0, 8, IOOptions(), &got, scratch, nullptr).ok();
    return is_read ? got.ToString() : "error";
  }

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

TEST_F(FaultFsTest, ReadsFailInTheWaysThatAreNamed) {
  const std::string path = Written("a", "12345678");
  const auto read_with = [&](FaultFs::Failure failure) {
    fs_.Heal();
    fs_.FailOn({.operations = FaultFs::kRead, .with = failure});
    return ReadOnce(path);
  };
  EXPECT_EQ(read_with(FaultFs::Failure::kIoError), "error");
  EXPECT_EQ(read_with(FaultFs::Failure::kShort), "1234");
  EXPECT_EQ(read_with(FaultFs::Failure::kEnded), "");
  EXPECT_EQ(read_with(FaultFs::Failure::kFlip), "1234%678");
  EXPECT_EQ(ReadOnce(path), "12345678") << "the file is as it was";
}

TEST_F(FaultFsTest, AShortReadInOrderGoesOnAfterWhatItGave) {
  const std::string path = Written("a", "12345678");
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  ASSERT_TRUE(fs_.NewSequentialFile(path, {}, &file, nullptr).ok());
  fs_.FailOn({.operations = FaultFs::kRead, .with = FaultFs::Failure::kShort});
  char scratch[8];
  rocksdb::Slice got;
  ASSERT_TRUE(file->Read(4, IOOptions(), &got, scratch, nullptr).ok());
  EXPECT_EQ(got.ToString(), "12");
  ASSERT_TRUE(file->Read(4, IOOptions(), &got, scratch, nullptr).ok());
  EXPECT_EQ(got.ToString(), "3456");
}

TEST_F(FaultFsTest, FaultsAreOfAKindOfFileAndInTheLog) {
  const std::string path = Written("000007.sst", "12345678");
  fs_.FailOn({.operations = FaultFs::kAllReads, .files = FaultFs::kWalFile});
  EXPECT_EQ(ReadOnce(path), "12345678");
  EXPECT_EQ(fs_.Log(), "");
  fs_.FailOn({.operations = FaultFs::kAllReads, .nth = 2, .files = FaultFs::kSstFile});
  EXPECT_EQ(ReadOnce(path), "error");
  EXPECT_EQ(fs_.Log(), "read " + path + " at 0: error (2th)\n");
}

TEST_F(FaultFsTest, EveryKindOfFileIsKnownByItsPath) {
  EXPECT_EQ(FaultFs::KindOf("/s/journal/00000000000000000001.log"), FaultFs::kJournalFile);
  EXPECT_EQ(FaultFs::KindOf("/s/journal/"), FaultFs::kJournalFile);
  EXPECT_EQ(FaultFs::KindOf("/s/db/000001.log"), FaultFs::kWalFile);
  EXPECT_EQ(FaultFs::KindOf("/s/db/MANIFEST-000002"), FaultFs::kManifestFile);
  EXPECT_EQ(FaultFs::KindOf("/s/db//CURRENT"), FaultFs::kCurrentFile);
  EXPECT_EQ(FaultFs::KindOf("/s/db/000003.sst"), FaultFs::kSstFile);
  EXPECT_EQ(FaultFs::KindOf("/s/db/IDENTITY"), FaultFs::kOtherFile);
}

TEST_F(FaultFsTest, AHookSeesEveryOperationBeforeItIsDone) {
  std::vector<std::string> seen;
  fs_.SetHook([&](FaultFs::Operation operation, const std::string& path) {
    const bool is_there = std::filesystem::exists(path);
    seen.push_back(fmt::format("{} {}", static_cast<uint32_t>(operation), is_there));
  });
  const std::string path = Written("a", "12345678");
  EXPECT_EQ(ReadOnce(path), "12345678");
  EXPECT_THAT(seen, ElementsAre("1 false", "2 true", "512 true", "1024 true"));
}

}  // namespace
}  // namespace hourcell::fault_fs_test
