#include "engine/backup_set.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "codec/base/crc32c.h"
#include "codec/base/status_macros.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::backup_set_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class BackupSetTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<BackupSet>> Open(BackupSet::Use use) {
    return BackupSet::Open(dir_.file("backups"), use, env_.get());
  }

  // A backup of files of a journal, each "<name>=<content>".
  absl::StatusOr<BackupManifest> Make(const std::vector<std::string>& files) {
    HOURCELL_ASSIGN_OR_RETURN(const auto set, Open(BackupSet::Use::kWrite));
    for (const std::string& file : files) {
      const std::string name = file.substr(0, file.find('='));
      const std::string content = file.substr(name.size() + 1);
      WriteFile(dir_.file(name), content + "beyond");
      HOURCELL_RETURN_IF_ERROR(set->Add({.path = "journal/" + name,
                                         .from = dir_.file(name),
                                         .bytes = content.size(),
                                         .content = {}}));
    }
    return set->Commit({.made_ms = 1});
  }

  std::vector<std::string> Stored() const { return FilesIn(dir_.file("backups/files")); }
  std::string PathOf(const std::string& name, const std::string& content) const {
    return fmt::format("{}/{}-{}-{:08x}", dir_.file("backups/files"), name, content.size(),
                       Crc32c(content));
  }

  TempDir dir_;
  std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(fs_);
};

TEST_F(BackupSetTest, WhatAnEarlierBackupHasIsNotCopiedAgain) {
  const auto first = Make({"b=two", "a=one"});
  ASSERT_OK(first);
  const auto second = Make({"a=one", "b=three", "c=two"});
  ASSERT_OK(second);
  const auto third = Make({"a=one", "b=three", "c=two"});
  ASSERT_OK(third);

  EXPECT_EQ(first->id, 1u);
  EXPECT_EQ(first->copied_files, 2u);
  EXPECT_EQ(first->copied_bytes, 6u);
  EXPECT_EQ(first->files[0].path, "journal/a");
  EXPECT_EQ(second->copied_files, 2u);
  EXPECT_EQ(third->id, 3u);
  EXPECT_EQ(third->copied_files, 0u);
  EXPECT_THAT(Stored(), SizeIs(4));
  const auto set = Open(BackupSet::Use::kRead);
  ASSERT_OK(set);
  EXPECT_THAT((*set)->ids(), ElementsAre(1, 2, 3));
  EXPECT_THAT((*set)->Read(2), IsOkAndHolds(*second));
  EXPECT_EQ(ReadFile((*set)->PathOf(second->files[1])), "three");
  EXPECT_THAT((*set)->Read(4), StatusIs(StatusCode::kNotFound, HasSubstr("there are 1, 2, 3")));
}

TEST_F(BackupSetTest, AFileOfTheSameNameAndSizeIsNotTakenForAnother) {
  ASSERT_OK(Make({"a=one"}));
  const auto second = Make({"a=two"});
  ASSERT_OK(second);
  EXPECT_EQ(second->copied_files, 1u);
  EXPECT_THAT(Stored(), SizeIs(2));
}

TEST_F(BackupSetTest, AStoredFileThatWasCutIsCopiedAgain) {
  ASSERT_OK(Make({"a=one"}));
  WriteFile(PathOf("a", "one"), "on");
  const auto second = Make({"a=one"});
  ASSERT_OK(second);
  EXPECT_EQ(second->copied_files, 1u);
  EXPECT_EQ(ReadFile(PathOf("a", "one")), "one");
}

TEST_F(BackupSetTest, VerifyNamesWhatIsDamagedAndWhoseItIs) {
  ASSERT_OK(Make({"a=one", "b=two"}));
  ASSERT_OK(Make({"a=one", "c=three"}));
  const auto set = Open(BackupSet::Use::kRead);
  ASSERT_OK(set);
  auto check = (*set)->Verify({});
  ASSERT_OK(check);
  EXPECT_THAT(check->faults, IsEmpty());
  EXPECT_EQ(check->backups, 2u);
  EXPECT_EQ(check->files, 3u);
  EXPECT_EQ(check->bytes, 11u);

  Damage(PathOf("a", "one"), 1);
  std::filesystem::remove(PathOf("b", "two"));
  check = (*set)->Verify({});
  ASSERT_OK(check);
  EXPECT_THAT(check->faults, ElementsAre(HasSubstr("(journal/a of backup 1, 2)"),
                                         HasSubstr("(journal/b of backup 1)")));
  check = (*set)->Verify(2);
  ASSERT_OK(check);
  EXPECT_THAT(check->faults, ElementsAre(HasSubstr("expected the CRC")));

  Damage(dir_.file("backups/backups/000001"), 30);
  EXPECT_THAT((*set)->Verify(1), StatusIs(StatusCode::kDataLoss, HasSubstr("backups/000001")));
  check = (*set)->Verify({});
  ASSERT_OK(check);
  EXPECT_THAT(check->faults, ElementsAre(HasSubstr("backups/000001: backup manifest: CRC"),
                                         HasSubstr("(journal/a of backup 2)")));
}

TEST_F(BackupSetTest, EveryDamagedByteOfAFileIsFound) {
  const std::string content = "all bytes of it";
  ASSERT_OK(Make({"a=" + content}));
  const auto set = Open(BackupSet::Use::kRead);
  ASSERT_OK(set);
  for (size_t at = 0; at < content.size(); ++at) {
    Damage(PathOf("a", content), at);
    const auto check = (*set)->Verify({});
    ASSERT_OK(check);
    EXPECT_THAT(check->faults, SizeIs(1)) << at;
    Damage(PathOf("a", content), at);
  }
}

TEST_F(BackupSetTest, PruneKeepsTheNewestAndTheFilesTheyShare) {
  ASSERT_OK(Make({"a=one", "b=two"}));
  ASSERT_OK(Make({"a=one", "c=three"}));
  ASSERT_OK(Make({"a=one", "d=four"}));
  WriteFile(dir_.file("backups/files/e-1-00000000"), "x");  // of a backup that was cut short
  {
    const auto set = Open(BackupSet::Use::kWrite);
    ASSERT_OK(set);
    EXPECT_THAT((*set)->Prune(0), StatusIs(StatusCode::kInvalidArgument));
    const auto pruned = (*set)->Prune(2);
    ASSERT_OK(pruned);
    EXPECT_EQ(pruned->backups, 1u);
    EXPECT_EQ(pruned->files, 2u);
    EXPECT_EQ(pruned->bytes, 4u);
    EXPECT_THAT((*set)->ids(), ElementsAre(2, 3));
    const auto check = (*set)->Verify({});
    ASSERT_OK(check);
    EXPECT_THAT(check->faults, IsEmpty());
  }
  const auto next = Make({"b=two"});
  ASSERT_OK(next);
  EXPECT_EQ(next->id, 4u);
  EXPECT_EQ(next->copied_files, 1u);
}

TEST_F(BackupSetTest, PruneRemovesNothingWhereAKeptManifestIsDamaged) {
  ASSERT_OK(Make({"a=one"}));
  ASSERT_OK(Make({"b=two"}));
  Damage(dir_.file("backups/backups/000002"), 30);
  const auto set = Open(BackupSet::Use::kWrite);
  ASSERT_OK(set);
  EXPECT_THAT((*set)->Prune(1), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(Stored(), SizeIs(2));
  EXPECT_THAT((*set)->ids(), ElementsAre(1, 2));
}

TEST_F(BackupSetTest, OneWritesAtATimeAndOthersRead) {
  ASSERT_OK(Make({"a=one"}));
  const auto writer = Open(BackupSet::Use::kWrite);
  ASSERT_OK(writer);
  EXPECT_THAT(Open(BackupSet::Use::kWrite), StatusIs(StatusCode::kUnavailable));
  EXPECT_OK(Open(BackupSet::Use::kRead));
}

TEST_F(BackupSetTest, OtherDirectoriesAreRefused) {
  EXPECT_THAT(Open(BackupSet::Use::kRead), StatusIs(StatusCode::kNotFound));
  std::filesystem::create_directory(dir_.file("backups"));
  WriteFile(dir_.file("backups/mine"), "x");
  EXPECT_THAT(Open(BackupSet::Use::kWrite),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("got mine in it")));
}

// A fault, and a power loss, at every write: the backups of before are whole, and the next one is.
TEST_F(BackupSetTest, AFaultAtAnyWriteLeavesTheOthersWhole) {
  ASSERT_OK(Make({"a=one", "b=two"}));
  uint64_t faults = 0;
  for (bool is_through = false; !is_through && faults < 100; ++faults) {
    SCOPED_TRACE(testing::Message() << "fault " << faults);
    fs_->FailOn({.nth = faults + 1, .is_lasting = true});
    const auto made = Make({"a=one", "c=" + std::to_string(faults)});
    is_through = made.ok();
    fs_->Heal();
    fs_->LoseUnsynced(faults);
    const auto set = Open(BackupSet::Use::kRead);
    ASSERT_OK(set);
    const auto check = (*set)->Verify({});
    ASSERT_OK(check);
    EXPECT_THAT(check->faults, IsEmpty());
    ASSERT_GE((*set)->ids().size(), 1u);
    EXPECT_TRUE(!made.ok() || (*set)->ids().back() == made->id);
    EXPECT_EQ((*set)->ids().front(), 1u);
  }
  EXPECT_GE(faults, 8u);
  EXPECT_LT(faults, 100u) << "never through";
}

}  // namespace
}  // namespace hourcell::backup_set_test
