#include "engine/rocks/files/rocks_file_checksums.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_file_checksums_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

class RocksSyncedSumTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteFile(manifest_, "first edit, second edit");
    WriteFile(current_, "MANIFEST-000012\n");
    sum_.Add("first edit");
    sum_.Synced(sum_.part());
    sum_.Add(", second edit");
    sum_.Synced(sum_.part());
  }

  absl::Status Check() { return CheckSyncedFiles(&files_, dir_.path()); }

  TempDir dir_;
  FaultFs files_;
  const std::string manifest_ = dir_.file("MANIFEST-000012");
  const std::string current_ = dir_.file("CURRENT");
  SyncedSum sum_{&files_, manifest_};
};

TEST_F(RocksSyncedSumTest, TakesWhatWasSyncedAndWhatIsAfterIt) {
  EXPECT_OK(Check());
  WriteFile(manifest_, "first edit, second edit, and a third that was not syn");
  EXPECT_OK(Check());
}

TEST_F(RocksSyncedSumTest, EveryCutAndEveryFlippedBitIsRefused) {
  const std::string whole = ReadFile(manifest_);
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    WriteFile(manifest_, whole.substr(0, bytes));
    EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr("expected the 23 that were")));
  }
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    WriteFile(manifest_, damaged);
    EXPECT_THAT(Check(),
                StatusIs(StatusCode::kDataLoss, HasSubstr(manifest_ + ": expected the CRC")));
  }
}

TEST_F(RocksSyncedSumTest, OfDamagedSumsTheLastThatChecksCounts) {
  const std::string sums = ReadFile(SyncedSumPath(manifest_));
  for (size_t bit = 0; bit < 8 * sums.size(); ++bit) {
    std::string damaged = sums;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    WriteFile(SyncedSumPath(manifest_), damaged);
    EXPECT_OK(Check());
  }
  WriteFile(SyncedSumPath(manifest_), sums.substr(0, sums.size() - 1));
  EXPECT_OK(Check());
  WriteFile(manifest_, "first");
  EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr("expected the 10 that were")));
  std::filesystem::remove(SyncedSumPath(manifest_));
  EXPECT_OK(Check());
}

TEST_F(RocksSyncedSumTest, NothingIsSaidOfWhatIsNotCertain) {
  sum_.Add(", third");
  sum_.Stop();
  sum_.Synced(sum_.part());
  EXPECT_OK(Check());
}

TEST_F(RocksSyncedSumTest, ASumThatCannotBeWrittenIsLeftOut) {
  files_.FailOn({.operations = FaultFs::kAppend, .append_bytes = 5});
  sum_.Add(", third");
  sum_.Synced(sum_.part());
  sum_.Add(", fourth");
  sum_.Synced(sum_.part());
  EXPECT_OK(Check());
}

TEST_F(RocksSyncedSumTest, CurrentMustNameAManifestThatIsThere) {
  const auto says = [&](const char* content, const char* fault) {
    WriteFile(current_, content);
    EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr(fault))) << content;
  };
  says("", "expected the name of a manifest");
  says("MANIFEST-000012", "expected the name of a manifest");
  says("NANIFEST-000012\n", "expected the name of a manifest");
  says("MANIFEST-00001r\n", "expected the name of a manifest");
  says("MANIFEST-000013\n", "MANIFEST-000013 is missing");
}

TEST_F(RocksSyncedSumTest, ADatabaseWithoutCurrentIsNotTakenForANewOne) {
  std::filesystem::remove(current_);
  EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr("there is MANIFEST-000012")));
  std::filesystem::remove(manifest_);
  EXPECT_OK(Check());
  // The rest of one whose creation crashed.
  WriteFile(dir_.file("MANIFEST-000001"), "");
  EXPECT_OK(Check());
  WriteFile(dir_.file("000004.sst"), "");
  EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr("there is 000004.sst")));
  EXPECT_OK(CheckSyncedFiles(&files_, dir_.file("nowhere")));
}

TEST_F(RocksSyncedSumTest, AWalIsCheckedAsTheManifestIs) {
  const std::string wal = dir_.file("000013.log");
  SyncedSum sum(&files_, wal);
  sum.Add("a batch");
  const SyncedSum::Part synced = sum.part();
  sum.Add(", and one that comes while it is synced");
  sum.Synced(synced);
  WriteFile(wal, "a batch, and one that");
  EXPECT_OK(Check());
  WriteFile(wal, "a botch, and one that comes while it is synced");
  EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr(wal + ": expected the CRC")));
  WriteFile(wal, "a bat");
  EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr("expected the 7 that were")));
  std::filesystem::remove(wal);
  EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr(wal + " is missing")));
}

}  // namespace
}  // namespace hourcell::rocks_file_checksums_test
