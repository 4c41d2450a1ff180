#include "engine/rocks_manifest_sum.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "tests/engine/journal_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

class RocksManifestSumTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteFile(manifest_, "first edit, second edit");
    WriteFile(current_, "MANIFEST-000012\n");
    sum_.Add("first edit");
    sum_.Synced();
    sum_.Add(", second edit");
    sum_.Synced();
  }

  absl::Status Check() { return CheckManifest(&files_, dir_.path()); }

  TempDir dir_;
  FaultFs files_;
  const std::string manifest_ = dir_.file("MANIFEST-000012");
  const std::string current_ = dir_.file("CURRENT");
  ManifestSum sum_{&files_, manifest_};
};

TEST_F(RocksManifestSumTest, TakesWhatWasSyncedAndWhatIsBehindIt) {
  EXPECT_OK(Check());
  WriteFile(manifest_, "first edit, second edit, and a third that was not syn");
  EXPECT_OK(Check());
}

TEST_F(RocksManifestSumTest, EveryCutAndEveryFlippedBitIsRefused) {
  const std::string whole = ReadFile(manifest_);
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    WriteFile(manifest_, whole.substr(0, bytes));
    EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr("want the 23 that were")));
  }
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    WriteFile(manifest_, damaged);
    EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr(manifest_ + ": got the CRC")));
  }
}

TEST_F(RocksManifestSumTest, OfDamagedSumsTheLastThatChecksCounts) {
  const std::string sums = ReadFile(ManifestSumPath(manifest_));
  for (size_t bit = 0; bit < 8 * sums.size(); ++bit) {
    std::string damaged = sums;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    WriteFile(ManifestSumPath(manifest_), damaged);
    EXPECT_OK(Check());
  }
  WriteFile(ManifestSumPath(manifest_), sums.substr(0, sums.size() - 1));
  EXPECT_OK(Check());
  WriteFile(manifest_, "first");
  EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr("want the 10 that were")));
  std::filesystem::remove(ManifestSumPath(manifest_));
  EXPECT_OK(Check());
}

TEST_F(RocksManifestSumTest, NothingIsSaidOfWhatIsNotCertain) {
  sum_.Add(", third");
  sum_.Stop();
  sum_.Synced();
  EXPECT_OK(Check());
}

TEST_F(RocksManifestSumTest, ASumThatCannotBeWrittenIsLeftOut) {
  files_.FailOn({.operations = FaultFs::kAppend, .append_bytes = 5});
  sum_.Add(", third");
  sum_.Synced();
  sum_.Add(", fourth");
  sum_.Synced();
  EXPECT_OK(Check());
}

TEST_F(RocksManifestSumTest, CurrentMustNameAManifestThatIsThere) {
  const auto says = [&](const char* content, const char* fault) {
    WriteFile(current_, content);
    EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr(fault))) << content;
  };
  says("", "want the name of a manifest");
  says("MANIFEST-000012", "want the name of a manifest");
  says("NANIFEST-000012\n", "want the name of a manifest");
  says("MANIFEST-00001r\n", "want the name of a manifest");
  says("MANIFEST-000013\n", "MANIFEST-000013 is missing");
}

TEST_F(RocksManifestSumTest, ADatabaseWithoutCurrentIsNotTakenForANewOne) {
  std::filesystem::remove(current_);
  EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr("there is MANIFEST-000012")));
  std::filesystem::remove(manifest_);
  EXPECT_OK(Check());
  // What a crash leaves of one that was being made.
  WriteFile(dir_.file("MANIFEST-000001"), "");
  EXPECT_OK(Check());
  WriteFile(dir_.file("000004.sst"), "");
  EXPECT_THAT(Check(), StatusIs(StatusCode::kDataLoss, HasSubstr("there is 000004.sst")));
  EXPECT_OK(CheckManifest(&files_, dir_.file("nowhere")));
}

}  // namespace
}  // namespace hourcell
