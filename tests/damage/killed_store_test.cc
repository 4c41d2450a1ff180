// Named damages of the journal and RocksDB's WAL of a store that was killed: what was synced and is
// not there any more is refused at open, with the file. docs/damage.md has the table.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "engine/tsdb.h"
#include "tests/damage/full_store.h"
#include "tests/engine/journal_testing.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Options SyncedOptions(const std::string& path) {
  Options options = FullStoreOptions(path);
  options.sync = Durability::kAlways;
  options.journal_segment_bytes = 4 << 10;
  return options;
}

// The files of a directory of the store with that ending, ascending; those of nothing left out.
std::vector<std::string> Files(const std::string& store,
                               const std::string& folder,
                               const std::string& ending) {
  std::vector<std::string> files;
  for (const std::string& name : FilesIn(store + "/" + folder)) {
    const std::string path = store + "/" + folder + "/" + name;
    if (name.ends_with(ending) && fs::file_size(path) > 0) files.push_back(path);
  }
  HOURCELL_CHECK(!files.empty());
  return files;
}

std::string Wal(const std::string& store) {
  return Files(store, "db", ".log").back();
}

std::vector<std::string> Segments(const std::string& store) {
  std::vector<std::string> segments = Files(store, "journal", ".log");
  HOURCELL_CHECK(segments.size() > 3);
  return segments;
}

// Of its bytes, the middle one.
void FlipMiddle(const std::string& path) {
  Damage(path, ReadFile(path).size() / 2);
}

void CutHalf(const std::string& path) {
  const std::string content = ReadFile(path);
  WriteFile(path, content.substr(0, content.size() / 2));
}

struct KilledDamage {
  std::string name;
  std::function<void(const std::string& store)> damage;
  std::string says;
};

std::vector<KilledDamage> KilledDamages() {
  return {
      {"WalFlipped", [](const auto& s) { FlipMiddle(Wal(s)); }, ".log: got the CRC"},
      {"WalCut", [](const auto& s) { CutHalf(Wal(s)); }, "that were synced"},
      {"WalMissing", [](const auto& s) { fs::remove(Wal(s)); }, ".log is missing"},
      {"SegmentFlipped", [](const auto& s) { FlipMiddle(Segments(s)[1]); }, "it was synced"},
      {"SegmentCut", [](const auto& s) { CutHalf(Segments(s)[1]); }, "it was synced"},
      {"SegmentHeaderFlipped", [](const auto& s) { Damage(Segments(s)[1], 20); }, "it was synced"},
      {"SegmentMissing", [](const auto& s) { fs::remove(Segments(s)[1]); }, "is missing"},
      {"SegmentRenumbered",
       [](const auto& s) {
         fs::rename(Segments(s).back(), s + "/journal/" + fmt::format("{:020}.log", 99));
       },
       "is missing"},
      {"JournalMissing", [](const auto& s) { fs::remove_all(s + "/journal"); },
       "journal is missing"}};
}

class KilledStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto tsdb = Tsdb::Open(SyncedOptions(dir_.file("store")));
    ASSERT_OK(tsdb);
    for (int i = 0; i < 400; ++i) {
      OwnedPoint point("m", fmt::format("host=h{}", i % 40), 1356998400 + i, i);
      ASSERT_OK((*tsdb)->Put(point.view()));
    }
    const AnnotationEdit note{.tsuid = "", .start_time = 1356998400, .description = "noted"};
    ASSERT_OK((*tsdb)->PutAnnotations({&note, 1}, AnnotationWrite::kReplace));
    answers_ = AskAll(tsdb->get());
    killed_ = CopyStore(dir_.file("store"), dir_);
  }

  // One more, for each damage.
  std::string Copy() {
    CopyFiles(killed_, dir_.file("damaged"));
    return dir_.file("damaged");
  }

  TempDir dir_;
  std::string killed_;
  std::vector<StoreAnswer> answers_;
};

TEST_F(KilledStoreTest, AnswersAsBefore) {
  const auto tsdb = Tsdb::Open(SyncedOptions(Copy()));
  ASSERT_OK(tsdb);
  EXPECT_THAT(WrongAnswers(answers_, AskAll(tsdb->get())), testing::IsEmpty());
}

TEST_F(KilledStoreTest, WhatWasSyncedAndIsNotThereIsRefused) {
  for (const KilledDamage& damage : KilledDamages()) {
    SCOPED_TRACE(damage.name);
    const std::string store = Copy();
    damage.damage(store);
    const auto tsdb = Tsdb::Open(SyncedOptions(store));
    EXPECT_THAT(tsdb.status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(damage.says)));
  }
}

}  // namespace
}  // namespace hourcell
