// Opening journals whose files are torn or damaged. Torn: unsynced bytes that do not check are
// taken out and set aside. Damaged: synced bytes that are not whole are data loss, and the files
// are left alone.

#include "engine/journal/journal_recovery.h"

#include <functional>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "codec/base/strings.h"
#include "engine/journal/journal_block.h"
#include "engine/journal/journal_segment.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"

namespace hourcell::journal_recovery_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Blocks of WriteBlocks below sequence 10 have 7 bytes of payload.
constexpr size_t kSmallBlockBytes = kBlockHeaderBytes + 7;

class JournalRecoveryTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<FileJournal>> Open(uint64_t low_mark = 0) {
    // Room for three small blocks a segment.
    return FileJournal::Open({.directory = path_,
                              .segment_bytes = kSegmentHeaderBytes + 3 * kSmallBlockBytes,
                              .preallocate_bytes = 0,
                              .low_mark = low_mark});
  }

  // Writes blocks, and syncs the first `synced` before it writes the others.
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

  // Opens and expects these blocks, in that order; then writes one more and expects that too.
  // Returns the parts taken out, but for their names.
  std::vector<JournalCut> ExpectBlocks(Blocks want, uint64_t next, uint64_t low_mark = 0) {
    std::vector<JournalCut> cuts;
    {
      const auto journal = Open(low_mark);
      EXPECT_OK(journal);
      if (!journal.ok()) return cuts;
      EXPECT_EQ((*journal)->next_sequence(), next);
      EXPECT_THAT(ReplayAll(**journal, low_mark), IsOkAndHolds(want));
      cuts = (*journal)->cuts();
      EXPECT_THAT((*journal)->UnseenCuts(), IsOkAndHolds(testing::UnorderedElementsAreArray(cuts)));
      WriteBlocks(journal->get(), 1);
    }
    want.emplace_back(next, PayloadOf(next));
    const auto again = Open(low_mark);
    EXPECT_OK(again);
    if (!again.ok()) return cuts;
    EXPECT_THAT(ReplayAll(**again, low_mark), IsOkAndHolds(want));
    EXPECT_THAT((*again)->cuts(), testing::IsEmpty());
    EXPECT_EQ((*again)->UnseenCuts()->size(), cuts.size());
    for (JournalCut& cut : cuts)
      cut.file.clear();
    return cuts;
  }

  // BlocksOf(first, end) without those of [lost, found).
  static Blocks BlocksWithout(uint64_t first, uint64_t lost, uint64_t found, uint64_t end) {
    Blocks blocks = BlocksOf(first, lost);
    const Blocks after = BlocksOf(found, end);
    blocks.insert(blocks.end(), after.begin(), after.end());
    return blocks;
  }

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
      {"garbage after it", [](std::string* bytes) { *bytes += "garbage of some length"; }, 3},
      {"zeros after it", [](std::string* bytes) { bytes->append(100'000, '\0'); }, 3},
      {"a few zeros after it", [](std::string* bytes) { bytes->append(5, '\0'); }, 3},
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

TEST_F(JournalRecoveryTest, ValidBlocksAfterABadOneThatWasNeverSyncedStay) {
  Make(/*synced=*/3, /*unsynced=*/6);
  Damage(PathOf(2), OffsetOf(1) + 30);
  const std::string bad = ReadFile(PathOf(2)).substr(OffsetOf(1), kSmallBlockBytes);
  const std::string after = ReadFile(PathOf(3));

  EXPECT_THAT(ExpectBlocks(BlocksWithout(1, 5, 6, 10), 10),
              ElementsAre(JournalCut{.segment = 2,
                                     .begin = OffsetOf(1),
                                     .end = OffsetOf(2),
                                     .first_sequence = 5,
                                     .end_sequence = 6}));
  EXPECT_EQ(ReadFile(path_ + "/" + SegmentName(2) + ".71-102.5-6.cut"), bad);
  EXPECT_EQ(ReadFile(PathOf(3)), after);
}

TEST_F(JournalRecoveryTest, EveryDamagedByteOfWhatWasNotSyncedCostsItsBlockAtMost) {
  for (uint64_t number = 1; number <= 3; ++number) {
    for (size_t at = 0; at < OffsetOf(3); ++at) {
      SCOPED_TRACE(testing::Message() << "segment " << number << " byte " << at);
      std::filesystem::remove_all(path_);
      Make(/*synced=*/0, /*unsynced=*/9);
      Damage(PathOf(number), at);
      const bool is_header = at < kSegmentHeaderBytes;
      const uint64_t lost =
          3 * (number - 1) + 1 + (is_header ? 0 : (at - kSegmentHeaderBytes) / kSmallBlockBytes);
      // Nothing after the last block records that it was there.
      const bool is_last = lost == 9 && !is_header;
      const auto cuts =
          ExpectBlocks(BlocksWithout(1, lost, is_header ? lost : lost + 1, 10), is_last ? 9 : 10);
      ASSERT_EQ(cuts.size(), 1u);
      EXPECT_EQ(cuts[0].segment, number);
      EXPECT_EQ(cuts[0].first_sequence, lost);
      EXPECT_EQ(cuts[0].end_sequence,
                is_last ? std::nullopt : std::optional<uint64_t>(is_header ? lost : lost + 1));
    }
  }
}

TEST_F(JournalRecoveryTest, SeveralBadPlacesInSeveralSegments) {
  Make(/*synced=*/0, /*unsynced=*/12);
  Damage(PathOf(1), OffsetOf(0) + 26);  // block 1
  Damage(PathOf(1), OffsetOf(2) + 26);  // block 3
  Damage(PathOf(2), 20);                // a header
  Damage(PathOf(2), OffsetOf(0) + 26);  // block 4
  WriteFile(PathOf(3), "garbage");      // blocks 7 to 9
  Damage(PathOf(5), OffsetOf(0) + 26);  // block 12, which nothing else records

  Blocks want = {{2, PayloadOf(2)}, {5, PayloadOf(5)}, {6, PayloadOf(6)}};
  for (const uint64_t block : {10u, 11u})
    want.emplace_back(block, PayloadOf(block));
  const auto cuts = ExpectBlocks(want, 12);
  std::string lost;
  for (const JournalCut& cut : cuts)
    lost += CutName(cut).substr(SegmentName(0).size()) + " ";
  EXPECT_EQ(lost, ".40-71.1-2.cut .102-133.3-5.cut .0-71.3-3.cut .0-7.7-10.cut .40-72.12-.cut ");
}

TEST_F(JournalRecoveryTest, AStretchOfZerosOrGarbageAcrossSegmentsIsOneLoss) {
  Make(/*synced=*/0, /*unsynced=*/9);
  std::string bytes = ReadFile(PathOf(1));
  WriteFile(PathOf(1),
            bytes.replace(OffsetOf(1), 2 * kSmallBlockBytes, 2 * kSmallBlockBytes, '\0'));
  bytes = ReadFile(PathOf(2));
  WriteFile(PathOf(2), bytes.replace(0, OffsetOf(1), OffsetOf(1), '\x5A'));

  const auto cuts = ExpectBlocks(BlocksWithout(1, 2, 5, 10), 10);
  ASSERT_EQ(cuts.size(), 2u);
  EXPECT_EQ(cuts[0].blocks() + cuts[1].blocks(), 3u);
  EXPECT_EQ(cuts[0].bytes() + cuts[1].bytes(), 2 * kSmallBlockBytes + OffsetOf(1));
}

TEST_F(JournalRecoveryTest, ASegmentThatEndsEarlyWithoutASyncLosesItsOwnBlocksOnly) {
  for (const size_t end : {OffsetOf(2), OffsetOf(2) - 1, OffsetOf(0), size_t{0}}) {
    SCOPED_TRACE(end);
    std::filesystem::remove_all(path_);
    Make(/*synced=*/0, /*unsynced=*/9);
    std::filesystem::resize_file(PathOf(2), end);
    const uint64_t lost = end < OffsetOf(1) ? 4 : end < OffsetOf(2) ? 5 : 6;

    const auto cuts = ExpectBlocks(BlocksWithout(1, lost, 7, 10), 10);
    ASSERT_EQ(cuts.size(), 1u);
    EXPECT_EQ(cuts[0].blocks(), 7 - lost);
  }
}

TEST_F(JournalRecoveryTest, DamageBelowTheLowMarkInASegmentThatIsNeeded) {
  for (const size_t synced : {0u, 1u, 3u}) {
    SCOPED_TRACE(synced);
    std::filesystem::remove_all(path_);
    Make(synced, 3 - synced);
    Damage(PathOf(1), OffsetOf(0) + 30);

    const auto cuts = ExpectBlocks(BlocksOf(2, 4), 4, /*low_mark=*/2);
    ASSERT_EQ(cuts.size(), 1u);
    EXPECT_EQ(cuts[0].blocks(), 0u) << "its points are in the tables";
  }
}

TEST_F(JournalRecoveryTest, TheOldestHeaderIsNotNeededForTheBlocksAfterIt) {
  Make(/*synced=*/0, /*unsynced=*/9);
  Damage(PathOf(1), 20);
  const auto cuts = ExpectBlocks(BlocksOf(3, 10), 10, /*low_mark=*/3);
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].blocks(), 0u);
}

TEST_F(JournalRecoveryTest, WhatIsCutTwiceInOnePlaceIsKeptTwice) {
  Make(/*synced=*/0, /*unsynced=*/3);
  Damage(PathOf(1), OffsetOf(1) + 30);
  ExpectBlocks(BlocksWithout(1, 2, 3, 4), 4);
  for (const std::string& name : FilesIn(path_))
    if (!name.ends_with(".cut")) std::filesystem::remove(path_ + "/" + name);
  // Another byte in the same place.
  Make(/*synced=*/0, /*unsynced=*/3);
  Damage(PathOf(1), OffsetOf(1) + 29);
  EXPECT_OK(Open());

  EXPECT_THAT(FilesIn(path_), testing::Contains(SegmentName(1) + ".71-102.2-3.cut"));
  EXPECT_THAT(FilesIn(path_), testing::Contains(SegmentName(1) + ".71-102.2-3~2.cut"));
}

TEST_F(JournalRecoveryTest, AnAcknowledgedCutIsToldNoMoreAndItsBytesStay) {
  Make(/*synced=*/0, /*unsynced=*/3);
  Damage(PathOf(1), OffsetOf(1) + 30);
  const auto journal = Open();
  ASSERT_OK(journal);
  const auto cuts = (*journal)->UnseenCuts();
  ASSERT_OK(cuts);
  EXPECT_THAT(*cuts, ElementsAre((*journal)->cuts().front()));
  ASSERT_OK((*journal)->MarkCutsSeen(*cuts));

  EXPECT_THAT((*journal)->UnseenCuts(), IsOkAndHolds(testing::IsEmpty()));
  EXPECT_EQ(ReadFile(path_ + "/" + cuts->front().file + ".seen").size(), kSmallBlockBytes);
}

// A write or rename that fails while it repairs: the next open repairs the same.
TEST_F(JournalRecoveryTest, ARepairThatFailsAnywhereIsMadeByTheNextOpen) {
  bool has_failed = true;
  for (uint64_t n = 1; has_failed; ++n) {
    SCOPED_TRACE(n);
    std::filesystem::remove_all(path_);
    Make(/*synced=*/0, /*unsynced=*/9);
    Damage(PathOf(1), OffsetOf(1) + 30);
    Damage(PathOf(2), 20);
    WriteFile(PathOf(3), "torn");
    {
      FaultFs fs;
      fs.FailOn({.operations = FaultFs::kAllOperations, .nth = n});
      const auto journal =
          FileJournal::Open({.directory = path_, .fs = &fs, .preallocate_bytes = 0});
      has_failed = !fs.Log().empty();
      EXPECT_EQ(journal.ok(), !has_failed);
      fs.Heal();
      fs.LoseUnsynced(n);
    }
    const auto journal = Open();
    ASSERT_OK(journal);
    EXPECT_THAT(ReplayAll(**journal), IsOkAndHolds(BlocksWithout(1, 2, 3, 7)));
    EXPECT_EQ((*journal)->UnseenCuts()->size(), 3u);
    ASSERT_LT(n, 100u);
  }
}

TEST_F(JournalRecoveryTest, ABadBlockThatWasSyncedIsDataLoss) {
  Make(/*synced=*/6, /*unsynced=*/3);
  Damage(PathOf(2), OffsetOf(1) + 30);
  const std::string segment = ReadFile(PathOf(2));

  ExpectDataLoss(AllOf(HasSubstr(PathOf(2) + " at offset 71: block 5: CRC32C "),
                       HasSubstr("4 blocks after it are readable"),
                       HasSubstr("all below 7 are on disk")));
  EXPECT_EQ(ReadFile(PathOf(2)), segment);
}

TEST_F(JournalRecoveryTest, TheHeaderOfALaterSegmentVouchesToo) {
  Make(/*synced=*/3, /*unsynced=*/1);
  WriteFile(PathOf(2), ReadFile(PathOf(2)).substr(0, kSegmentHeaderBytes));
  Damage(PathOf(1), OffsetOf(2) + 1);

  ExpectDataLoss(AllOf(HasSubstr("block 3: CRC32C"), HasSubstr("0 blocks after it are readable")));
}

TEST_F(JournalRecoveryTest, TheFooterVouchesForEverythingBeforeIt) {
  {
    const auto journal = Open();
    ASSERT_OK(journal);
    WriteBlocks(journal->get(), 2);
    ASSERT_OK((*journal)->Close());
  }
  Damage(PathOf(1), OffsetOf(1) + 8);

  ExpectDataLoss(AllOf(HasSubstr("at offset 71: block 2: "), HasSubstr("1 blocks after it")));
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
  ExpectBlocksBelow(10);

  std::filesystem::remove_all(path_);
  // It loses no block, so it does not matter which blocks were synced.
  Make(/*synced=*/6, /*unsynced=*/3);
  Damage(PathOf(2), 20);
  ExpectBlocksBelow(10);

  std::filesystem::remove_all(path_);
  Make(/*synced=*/6, /*unsynced=*/3);
  Damage(PathOf(2), 20);
  Damage(PathOf(2), OffsetOf(0) + 30);
  ExpectDataLoss(HasSubstr(PathOf(2) + " at offset 0: segment header has CRC32C"));
}

TEST_F(JournalRecoveryTest, ABadHeaderOfTheOnlySegment) {
  Make(/*synced=*/0, /*unsynced=*/2);
  Damage(PathOf(1), 20);
  ExpectBlocksBelow(3);

  std::filesystem::remove_all(path_);
  Make(/*synced=*/2, /*unsynced=*/1);
  Damage(PathOf(1), 20);
  ExpectBlocksBelow(4);
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
                               HasSubstr(NewerFormatMessage("journal format 2", "1"))));
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
  EXPECT_THAT(FilesIn(path_), ElementsAre(SegmentName(3), SegmentName(4), "synced"));
}

TEST_F(JournalRecoveryTest, AMissingFrontIsDataLossIfTheLowMarkSaysSo) {
  Make(/*synced=*/9, /*unsynced=*/0);
  std::filesystem::remove(PathOf(1));

  EXPECT_THAT(Open(/*low_mark=*/3),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("begins at block 4; expected one that begins at 3 or below")));
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
      SCOPED_TRACE(testing::Message() << "segment " << number << " byte " << i);
      const auto opened = Open();
      if (i < kSegmentHeaderBytes) {
        ASSERT_OK(opened);
        EXPECT_THAT(ReplayAll(**opened), IsOkAndHolds(BlocksOf(1, 8)));
        EXPECT_EQ((*opened)->cuts().size(), 1u);
      } else {
        EXPECT_THAT(opened, StatusIs(absl::StatusCode::kDataLoss, HasSubstr(PathOf(number))));
      }
      WriteFile(PathOf(number), bytes);
    }
  }
  ExpectBlocksBelow(8);
}

// None of these reads shows the state of the disk.
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
          FileJournal::Open({.directory = path_, .fs = &fs, .preallocate_bytes = 0, .low_mark = 0});
      has_failed = !fs.Log().empty();
      EXPECT_EQ(journal.ok(), !has_failed);
      ASSERT_LT(n, 100u);
    }
  }
  ExpectBlocksBelow(8);
}

}  // namespace
}  // namespace hourcell::journal_recovery_test
