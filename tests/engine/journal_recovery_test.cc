// Opening journals whose files are torn or damaged. Torn: what was not synced and is not whole is
// cut off. Damaged: what was synced and is not whole is data loss, and the files are left alone.

#include "engine/journal_recovery.h"

#include <functional>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "engine/journal_block.h"
#include "engine/journal_segment.h"
#include "tests/engine/journal_testing.h"
#include "tests/support/fault_fs.h"

namespace hourcell {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Blocks of WriteBlocks below sequence 10 have 7 bytes of payload.
constexpr size_t kSmallBlockBytes = kBlockHeaderBytes + 7;

class JournalRecoveryTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Journal>> Open(uint64_t low_mark = 0) {
    // Room for three small blocks a segment.
    return Journal::Open({.directory = path_,
                          .segment_bytes = kSegmentHeaderBytes + 3 * kSmallBlockBytes,
                          .preallocate_bytes = 0,
                          .low_mark = low_mark});
  }

  // Writes blocks; `synced` of them are synced before the others are written.
  void Make(size_t synced, size_t unsynced) {
    const auto journal = Open();
    ASSERT_OK(journal);
    WriteBlocks(journal->get(), synced);
    ASSERT_OK((*journal)->Sync());
    WriteBlocks(journal->get(), unsynced);
  }

  std::string PathOf(uint64_t number) const { return path_ + "/" + SegmentName(number); }

  // Where a small block begins in its segment.
  static size_t OffsetOf(size_t index) { return kSegmentHeaderBytes + index * kSmallBlockBytes; }

  // Opens and expects exactly the blocks below `end`; then writes one more and expects that too.
  void ExpectBlocksBelow(uint64_t end) {
    {
      const auto journal = Open();
      ASSERT_OK(journal);
      EXPECT_EQ((*journal)->next_sequence(), end);
      EXPECT_THAT(ReplayAll(**journal), IsOkAndHolds(BlocksOf(1, end)));
      WriteBlocks(journal->get(), 1);
    }
    const auto again = Open();
    ASSERT_OK(again);
    EXPECT_THAT(ReplayAll(**again), IsOkAndHolds(BlocksOf(1, end + 1)));
  }

  void ExpectDataLoss(const testing::Matcher<std::string>& message) {
    const std::vector<std::string> before = FilesIn(path_);
    EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kDataLoss, message));
    EXPECT_EQ(FilesIn(path_), before);
  }

  TempDir directory_;
  const std::string path_ = directory_.file("journal");
};

TEST_F(JournalRecoveryTest, EveryKindOfTornTailIsCut) {
  struct Case {
    const char* name;
    std::function<void(std::string*)> tear;
    uint64_t end;
  };
  const size_t last = OffsetOf(1);
  const Case cases[] = {
      {"nothing torn", [](std::string*) {}, 3},
      {"garbage behind it", [](std::string* bytes) { *bytes += "garbage of some length"; }, 3},
      {"zeros behind it", [](std::string* bytes) { bytes->append(100'000, '\0'); }, 3},
      {"a few zeros behind it", [](std::string* bytes) { bytes->append(5, '\0'); }, 3},
      {"one byte short", [](std::string* bytes) { bytes->pop_back(); }, 2},
      {"only its header", [&](std::string* bytes) { bytes->resize(last + 24); }, 2},
      {"half its header", [&](std::string* bytes) { bytes->resize(last + 12); }, 2},
      {"payload zeroed", [&](std::string* bytes) { bytes->replace(last + 24, 7, 7, '\0'); }, 2},
      {"header zeroed", [&](std::string* bytes) { bytes->replace(last, 24, 24, '\0'); }, 2},
      {"length far too long", [&](std::string* bytes) { (*bytes)[last + 4] = '\x7F'; }, 2},
      {"length too long", [&](std::string* bytes) { (*bytes)[last + 6] = '\x7F'; }, 2},
      {"all blocks gone", [](std::string* bytes) { bytes->resize(kSegmentHeaderBytes); }, 1},
      {"header torn", [](std::string* bytes) { bytes->resize(kSegmentHeaderBytes - 1); }, 1},
      {"empty file", [](std::string* bytes) { bytes->clear(); }, 1},
  };
  for (const Case& torn : cases) {
    SCOPED_TRACE(torn.name);
    std::filesystem::remove_all(path_);
    Make(/*synced=*/0, /*unsynced=*/2);
    std::string bytes = ReadFile(PathOf(1));
    torn.tear(&bytes);
    WriteFile(PathOf(1), bytes);

    ExpectBlocksBelow(torn.end);
  }
}

TEST_F(JournalRecoveryTest, EveryLengthOfTheLastSegmentGivesItsWholeBlocks) {
  Make(/*synced=*/3, /*unsynced=*/3);
  const std::string bytes = ReadFile(PathOf(2));
  for (size_t size = 0; size <= bytes.size(); ++size) {
    SCOPED_TRACE(size);
    WriteFile(PathOf(2), bytes.substr(0, size));
    std::filesystem::remove(PathOf(3));
    const uint64_t whole = size < OffsetOf(0) ? 0 : (size - OffsetOf(0)) / kSmallBlockBytes;
    ExpectBlocksBelow(4 + whole);
  }
}

TEST_F(JournalRecoveryTest, ABadBlockThatWasNeverSyncedTakesAllBehindItAlong) {
  Make(/*synced=*/3, /*unsynced=*/6);
  Damage(PathOf(2), OffsetOf(1) + 30);

  ExpectBlocksBelow(5);
  EXPECT_EQ(std::filesystem::file_size(PathOf(2)), OffsetOf(1));
  EXPECT_EQ(ReadFile(PathOf(3)).substr(24, 8), std::string("\0\0\0\0\0\0\0\x05", 8));
}

TEST_F(JournalRecoveryTest, ABadBlockThatWasSyncedIsDataLoss) {
  Make(/*synced=*/6, /*unsynced=*/3);
  Damage(PathOf(2), OffsetOf(1) + 30);
  const std::string segment = ReadFile(PathOf(2));

  ExpectDataLoss(AllOf(HasSubstr(PathOf(2) + " at offset 71: block 5: CRC32C "),
                       HasSubstr("4 blocks behind it are readable"),
                       HasSubstr("all below 7 are on disk")));
  EXPECT_EQ(ReadFile(PathOf(2)), segment);
}

TEST_F(JournalRecoveryTest, TheHeaderOfALaterSegmentVouchesToo) {
  Make(/*synced=*/3, /*unsynced=*/1);
  WriteFile(PathOf(2), ReadFile(PathOf(2)).substr(0, kSegmentHeaderBytes));
  Damage(PathOf(1), OffsetOf(2) + 1);

  ExpectDataLoss(AllOf(HasSubstr("block 3: CRC32C"), HasSubstr("0 blocks behind it are readable")));
}

TEST_F(JournalRecoveryTest, TheFooterVouchesForEverythingBeforeIt) {
  {
    const auto journal = Open();
    ASSERT_OK(journal);
    WriteBlocks(journal->get(), 2);
    ASSERT_OK((*journal)->Close());
  }
  Damage(PathOf(1), OffsetOf(1) + 8);

  ExpectDataLoss(AllOf(HasSubstr("at offset 71: block 2: "), HasSubstr("1 blocks behind it")));
}

TEST_F(JournalRecoveryTest, ATornFooterIsATornTail) {
  {
    const auto journal = Open();
    ASSERT_OK(journal);
    WriteBlocks(journal->get(), 2);
    ASSERT_OK((*journal)->Close());
  }
  std::filesystem::resize_file(PathOf(1), std::filesystem::file_size(PathOf(1)) - 1);

  ExpectBlocksBelow(3);
}

TEST_F(JournalRecoveryTest, AMissingSegmentInTheMiddleIsDataLoss) {
  for (const size_t synced : {0u, 9u}) {
    std::filesystem::remove_all(path_);
    Make(synced, 9 - synced);
    std::filesystem::remove(PathOf(2));

    ExpectDataLoss(HasSubstr(PathOf(2) + " is missing"));
  }
}

TEST_F(JournalRecoveryTest, SyncedSegmentsThatEndEarlyAreDataLoss) {
  Make(/*synced=*/9, /*unsynced=*/1);
  std::filesystem::resize_file(PathOf(2), OffsetOf(2));

  ExpectDataLoss(AllOf(HasSubstr(PathOf(2) + " at offset 102: ends before block 6"),
                       HasSubstr(PathOf(3) + " has 7"), HasSubstr("all below 10 are on disk")));
}

TEST_F(JournalRecoveryTest, ABadHeaderInTheMiddle) {
  Make(/*synced=*/3, /*unsynced=*/6);
  Damage(PathOf(2), 20);
  ExpectBlocksBelow(4);

  std::filesystem::remove_all(path_);
  Make(/*synced=*/6, /*unsynced=*/3);
  Damage(PathOf(2), 20);
  ExpectDataLoss(HasSubstr(PathOf(2) + " at offset 0: segment header has CRC32C"));
}

TEST_F(JournalRecoveryTest, ABadHeaderOfTheOnlySegment) {
  Make(/*synced=*/0, /*unsynced=*/2);
  Damage(PathOf(1), 20);
  ExpectBlocksBelow(1);

  std::filesystem::remove_all(path_);
  Make(/*synced=*/2, /*unsynced=*/1);
  Damage(PathOf(1), 20);
  ExpectDataLoss(AllOf(HasSubstr("at offset 0: segment header"), HasSubstr("2 blocks behind it")));
}

TEST_F(JournalRecoveryTest, ASegmentUnderAnotherNameIsDamage) {
  Make(/*synced=*/9, /*unsynced=*/1);
  std::filesystem::copy_file(PathOf(1), PathOf(2),
                             std::filesystem::copy_options::overwrite_existing);

  ExpectDataLoss(HasSubstr("its bytes as those of segment 2 give"));
}

TEST_F(JournalRecoveryTest, ANewerFormatIsRefusedAndLeftAlone) {
  Make(/*synced=*/1, /*unsynced=*/0);
  std::string bytes = ReadFile(PathOf(1));
  bytes[15] = 2;
  const std::string number(bytes, 16, 8);
  StoreBigEndian(Crc32c(number + bytes.substr(12, 28)), 4, bytes.data() + 8);
  WriteFile(PathOf(1), bytes);

  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kFailedPrecondition,
                               HasSubstr("journal format 2; this program reads 1")));
  EXPECT_EQ(ReadFile(PathOf(1)), bytes);
}

TEST_F(JournalRecoveryTest, OtherFilesAreNotTouched) {
  Make(/*synced=*/1, /*unsynced=*/0);
  WriteFile(path_ + "/notes.txt", "of an operator");

  ExpectBlocksBelow(2);
  EXPECT_EQ(ReadFile(path_ + "/notes.txt"), "of an operator");
}

TEST_F(JournalRecoveryTest, DamageBelowTheLowMarkDoesNoHarm) {
  Make(/*synced=*/9, /*unsynced=*/1);
  Damage(PathOf(1), OffsetOf(1));
  Damage(PathOf(2), 3);

  const auto journal = Open(/*low_mark=*/8);
  ASSERT_OK(journal);
  EXPECT_THAT(ReplayAll(**journal), IsOkAndHolds(BlocksOf(7, 11)));
  EXPECT_THAT(FilesIn(path_), ElementsAre(SegmentName(3), SegmentName(4)));
}

TEST_F(JournalRecoveryTest, AMissingFrontIsDataLossIfTheLowMarkSaysSo) {
  Make(/*synced=*/9, /*unsynced=*/0);
  std::filesystem::remove(PathOf(1));

  EXPECT_THAT(Open(/*low_mark=*/3), StatusIs(absl::StatusCode::kDataLoss,
                                             HasSubstr("begins at block 4; want one that begins at "
                                                       "3 or below")));
  EXPECT_OK(Open(/*low_mark=*/4));
}

TEST_F(JournalRecoveryTest, AJournalThatEndsBelowTheLowMarkGoesOnThere) {
  Make(/*synced=*/0, /*unsynced=*/5);
  {
    const auto journal = Open(/*low_mark=*/100);
    ASSERT_OK(journal);
    EXPECT_THAT(ReplayAll(**journal), IsOkAndHolds(Blocks()));
    EXPECT_EQ((*journal)->next_sequence(), 100u);
    EXPECT_EQ((*journal)->synced_sequence(), 100u);
    WriteBlocks(journal->get(), 2);
  }
  const auto journal = Open(/*low_mark=*/100);
  ASSERT_OK(journal);
  EXPECT_THAT(ReplayAll(**journal), IsOkAndHolds(BlocksOf(100, 102)));
}

// Whatever byte is damaged, blocks that were synced and vouched for are found or reported.
TEST_F(JournalRecoveryTest, NoDamagedByteIsEverFewerBlocks) {
  Make(/*synced=*/6, /*unsynced=*/1);
  for (uint64_t number = 1; number <= 2; ++number) {
    const std::string bytes = ReadFile(PathOf(number));
    for (size_t i = 0; i < bytes.size(); ++i) {
      Damage(PathOf(number), i);
      EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(PathOf(number))))
          << "segment " << number << " byte " << i;
      WriteFile(PathOf(number), bytes);
    }
  }
  ExpectBlocksBelow(8);
}

// None of these reads says anything of what is on disk.
TEST_F(JournalRecoveryTest, WhatADiskLeavesOutOrFlipsOnceIsNotCutOff) {
  Make(/*synced=*/2, /*unsynced=*/5);
  for (const auto failure :
       {FaultFs::Failure::kIoError, FaultFs::Failure::kEnded, FaultFs::Failure::kFlip}) {
    bool has_failed = true;
    for (uint64_t n = 1; has_failed; ++n) {
      SCOPED_TRACE(testing::Message() << "read " << n << ", kind " << static_cast<int>(failure));
      FaultFs fs;
      fs.FailOn({.operations = FaultFs::kRead, .nth = n, .with = failure});
      const auto journal =
          Journal::Open({.directory = path_, .fs = &fs, .preallocate_bytes = 0, .low_mark = 0});
      has_failed = !fs.Log().empty();
      EXPECT_EQ(journal.ok(), !has_failed);
      ASSERT_LT(n, 100u);
    }
  }
  ExpectBlocksBelow(8);
}

}  // namespace
}  // namespace hourcell
