#include "engine/journal/journal_synced.h"

#include <cstdint>
#include <string>

#include <rocksdb/file_system.h>

#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"

namespace hourcell::journal_synced_test {
namespace {

class SyncedNoteTest : public testing::Test {
 protected:
  absl::StatusOr<uint64_t> Read() { return ReadSyncedNote(&fs_, directory_.path()); }

  TempDir directory_;
  FaultFs fs_;
  const std::string path_ = directory_.file("synced");
};

TEST_F(SyncedNoteTest, TheHighestRecordCounts) {
  EXPECT_THAT(Read(), IsOkAndHolds(0u));
  SyncedNote note(&fs_, directory_.path());
  for (const uint64_t sequence : {3u, 70'000u, 70'001u}) {
    note.Write(sequence);
    EXPECT_THAT(Read(), IsOkAndHolds(sequence));
  }
  note.Remove();
  EXPECT_THAT(Read(), IsOkAndHolds(0u));
}

TEST_F(SyncedNoteTest, ALongFileIsBegunAgain) {
  SyncedNote note(&fs_, directory_.path());
  for (uint64_t sequence = 1; sequence <= 20'000; ++sequence)
    note.Write(sequence);
  EXPECT_THAT(Read(), IsOkAndHolds(20'000u));
  EXPECT_LT(ReadFile(path_).size(), size_t{70'000});
}

TEST_F(SyncedNoteTest, WhatDoesNotCheckSaysNothing) {
  SyncedNote note(&fs_, directory_.path());
  note.Write(5);
  note.Write(9);
  const std::string whole = ReadFile(path_);
  for (size_t at = 12; at < whole.size(); ++at) {
    Damage(path_, at);
    EXPECT_THAT(Read(), IsOkAndHolds(5u)) << at;
    WriteFile(path_, whole.substr(0, at));
    EXPECT_THAT(Read(), IsOkAndHolds(5u)) << at;
    WriteFile(path_, whole);
  }
}

TEST_F(SyncedNoteTest, WhatCannotBeWrittenIsLeftOut) {
  SyncedNote note(&fs_, directory_.path());
  note.Write(5);
  fs_.FailOn({.operations = FaultFs::kAppend, .append_bytes = 7});
  note.Write(6);
  note.Write(7);
  EXPECT_THAT(Read(), IsOkAndHolds(7u));
}

TEST_F(SyncedNoteTest, ABitThatIsFlippedOnceIsAnError) {
  SyncedNote note(&fs_, directory_.path());
  note.Write(5);
  fs_.FailOn({.operations = FaultFs::kRead, .with = FaultFs::Failure::kFlip});
  EXPECT_THAT(Read(), StatusIs(absl::StatusCode::kUnavailable, testing::HasSubstr("two reads")));
}

}  // namespace
}  // namespace hourcell::journal_synced_test
