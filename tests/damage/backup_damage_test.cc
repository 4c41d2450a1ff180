// Named damages of the files of a backup: `verify` reports each with the file, and `restore`
// refuses it and leaves no store. docs/damage.md has the table.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "engine/backup_admin.h"
#include "engine/backup_set.h"
#include "engine/tsdb.h"
#include "tests/damage/full_store.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::backup_damage_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The largest file of a backup that has such a path in the store: "db/", ".sst".
std::string FileOf(const std::string& backups, std::string_view begin, std::string_view end) {
  const auto set = BackupSet::Open(backups, BackupSet::Use::kRead);
  HOURCELL_CHECK(set.ok());
  const BackupManifest manifest = (*set)->Read(1).value();
  BackupFile largest;
  for (const BackupFile& file : manifest.files) {
    if (!file.path.starts_with(begin) || !file.path.ends_with(end)) continue;
    if (largest.path.empty() || file.bytes > largest.bytes) largest = file;
  }
  HOURCELL_CHECK(largest.bytes > 0);
  return (*set)->PathOf(largest);
}

std::string SstFile(const std::string& backups) {
  return FileOf(backups, "db/", ".sst");
}

std::string Segment(const std::string& backups) {
  return FileOf(backups, "journal/", ".log");
}

std::string Current(const std::string& backups) {
  return FileOf(backups, "db/CURRENT", "");
}

std::string Manifest(const std::string& backups) {
  return backups + "/backups/" + FilesIn(backups + "/backups").front();
}

using FileIn = std::string (*)(const std::string& backups);

// A damage to any file.
struct FileDamage {
  std::string name;
  std::function<void(const std::string& path)> damage;
  std::string says;
};

std::vector<FileDamage> FileDamages() {
  return {
      {"Flipped", [](const auto& path) { Damage(path, ReadFile(path).size() / 2); }, "CRC"},
      {"FlippedAtItsEnd", [](const auto& path) { Damage(path, ReadFile(path).size() - 1); }, "CRC"},
      {"Cut",
       [](const auto& path) {
         WriteFile(path, std::string_view(ReadFile(path)).substr(0, ReadFile(path).size() - 1));
       },
       "bytes, got"},
      {"Longer", [](const auto& path) { WriteFile(path, ReadFile(path) + '\0'); }, "bytes, got"},
      {"Empty", [](const auto& path) { WriteFile(path, ""); }, "bytes, got 0"},
      {"Missing", [](const auto& path) { fs::remove(path); }, "No such file"}};
}

class BackupDamageTest : public testing::Test {
 protected:
  // With points in files and points in the journal.
  void SetUp() override {
    const auto tsdb = Tsdb::Open(FullStoreOptions(dir_.file("store")));
    ASSERT_OK(tsdb);
    Put(tsdb->get(), 0);
    ASSERT_OK((*tsdb)->maintenance().Flush());
    Put(tsdb->get(), 100);
    ASSERT_OK((*tsdb)->maintenance().backups()->Make(whole_));
    answers_ = AskAll(tsdb->get());
  }

  static void Put(Tsdb* tsdb, int first) {
    for (int i = first; i < first + 100; ++i) {
      OwnedPoint point("m", "host=h" + std::to_string(i % 7), 1356998400 + i, i);
      ASSERT_OK(tsdb->points().Put(point.view()));
    }
  }

  // One more, for each damage.
  void Copy() {
    CopyFiles(whole_, backups_);
    fs::remove_all(restored_);
  }

  std::vector<std::string> Faults() const {
    const auto set = BackupSet::Open(backups_, BackupSet::Use::kRead);
    EXPECT_OK(set);
    const auto check = (*set)->Verify(std::nullopt);
    EXPECT_OK(check);
    return check->faults;
  }

  absl::Status Restore() const {
    const auto set = BackupSet::Open(backups_, BackupSet::Use::kRead);
    EXPECT_OK(set);
    const auto manifest = (*set)->Read(1);
    return manifest.ok() ? RestoreBackup(**set, *manifest, restored_) : manifest.status();
  }

  void ExpectTold(const std::string& path, const std::string& says) const {
    const auto names_it = testing::AllOf(HasSubstr(path), HasSubstr(says));
    EXPECT_THAT(Faults(), ElementsAre(names_it));
    EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kDataLoss, names_it));
    EXPECT_FALSE(fs::exists(restored_));
  }

  TempDir dir_;
  const std::string whole_ = dir_.file("whole");
  const std::string backups_ = dir_.file("backups");
  const std::string restored_ = dir_.file("restored");
  std::vector<StoreAnswer> answers_;
};

TEST_F(BackupDamageTest, WithoutAnyIsRestoredAndAnswersAsBefore) {
  Copy();
  EXPECT_THAT(Faults(), IsEmpty());
  ASSERT_OK(Restore());

  const auto tsdb = Tsdb::Open(FullStoreOptions(restored_));
  ASSERT_OK(tsdb);
  EXPECT_THAT(WrongAnswers(answers_, AskAll(tsdb->get())), IsEmpty());
}

TEST_F(BackupDamageTest, OfFilesIsTold) {
  for (const FileIn file : {SstFile, Segment, Current}) {
    for (const FileDamage& damage : FileDamages()) {
      Copy();
      const std::string path = file(backups_);
      SCOPED_TRACE(damage.name + " " + path);
      damage.damage(path);
      ExpectTold(path, damage.says);
    }
  }
}

// A file of the right name and size that is another's.
TEST_F(BackupDamageTest, OfAFileWithAnOthersContentIsTold) {
  Copy();
  const std::string path = Segment(backups_);
  WriteFile(path, std::string(ReadFile(path).size(), '\0'));
  ExpectTold(path, "CRC");
}

TEST_F(BackupDamageTest, OfItsManifestIsTold) {
  for (const FileDamage& damage : FileDamages()) {
    if (damage.name == "Missing") continue;
    SCOPED_TRACE(damage.name);
    Copy();
    const std::string path = Manifest(backups_);
    damage.damage(path);
    ExpectTold(path, "");
  }
}

TEST_F(BackupDamageTest, AManifestOfAnotherNumberIsTold) {
  Copy();
  const std::string path = Manifest(backups_);
  std::string other = path;
  other.at(other.rfind('1')) = '2';
  fs::copy_file(path, other);
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("expected that of 2, got the manifest of backup 1")));
}

// Files that no manifest names are not a backup.
TEST_F(BackupDamageTest, WithoutItsManifestThereIsNone) {
  Copy();
  fs::remove(Manifest(backups_));
  EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("no backup 1")));
}

TEST_F(BackupDamageTest, WithoutItsFilesNothingIsRead) {
  Copy();
  fs::remove_all(backups_ + "/files");
  const auto set = BackupSet::Open(backups_, BackupSet::Use::kRead);
  EXPECT_THAT(set.status().ToString(), HasSubstr(backups_ + "/files"));
}

}  // namespace
}  // namespace hourcell::backup_damage_test
