#include "engine/journal/file_journal.h"

#include <array>
#include <atomic>
#include <set>
#include <thread>

#include "engine/journal/journal_block.h"
#include "engine/journal/journal_segment.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/sanitizers.h"

namespace hourcell::journal_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FileJournalTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<FileJournal>> Open(size_t segment_bytes = 1 << 20) {
    return FileJournal::Open({.directory = path_,
                              .fs = &fs_,
                              .segment_bytes = segment_bytes,
                              .preallocate_bytes = 16 << 10});
  }

  // Opens for tests that do not care how.
  std::unique_ptr<FileJournal> MustOpen(size_t segment_bytes = 1 << 20) {
    auto journal = Open(segment_bytes);
    EXPECT_OK(journal);
    return journal.ok() ? *std::move(journal) : nullptr;
  }

  std::string PathOf(uint64_t number) const { return path_ + "/" + SegmentName(number); }

  // Continues with a journal that is still empty.
  void StartOver() { path_ += "-again"; }

  TempDir directory_;
  std::string path_ = directory_.file("journal");
  FaultFs fs_;
};

TEST_F(FileJournalTest, AnEmptyJournalHasNothing) {
  const auto journal = MustOpen();

  EXPECT_EQ(journal->next_sequence(), 1u);
  EXPECT_EQ(journal->synced_sequence(), 1u);
  EXPECT_EQ(journal->oldest_sequence(), 1u);
  EXPECT_EQ(journal->segments(), 0u);
  EXPECT_EQ(journal->bytes(), 0u);
  EXPECT_THAT(ReplayAll(*journal), IsOkAndHolds(Blocks()));
  EXPECT_OK(journal->Sync());
  EXPECT_OK(journal->DeleteBelow(100));
  EXPECT_THAT(FilesIn(path_), IsEmpty());
}

TEST_F(FileJournalTest, DoesNotMakeADirectoryUnlessAsked) {
  EXPECT_THAT(FileJournal::Open({.directory = path_, .create = false}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path_ + " is missing")));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(FileJournalTest, GivesBackWhatWasWrittenInOrder) {
  const auto journal = MustOpen();
  const std::array<std::string_view, 3> parts = {"one ", "", "block"};
  ASSERT_OK(journal->Write(parts));
  ASSERT_OK(journal->Write({}));
  ASSERT_OK(WriteBlock(journal.get(), std::string("\0\xFF", 2)));

  const Blocks want = {{1, "one block"}, {2, ""}, {3, std::string("\0\xFF", 2)}};
  EXPECT_THAT(ReplayAll(*journal), IsOkAndHolds(want));
  EXPECT_EQ(journal->next_sequence(), 4u);
}

TEST_F(FileJournalTest, AfterKillAllIsThereAndSequencesGoOn) {
  WriteBlocks(MustOpen().get(), 3);
  const std::string first_segment = ReadFile(PathOf(1));
  {
    const auto journal = MustOpen();
    EXPECT_EQ(journal->next_sequence(), 4u);
    EXPECT_EQ(journal->synced_sequence(), 1u);
    EXPECT_THAT(FilesIn(path_), ElementsAre(SegmentName(1)));
    WriteBlocks(journal.get(), 2);
  }

  const auto journal = MustOpen();
  EXPECT_THAT(ReplayAll(*journal), IsOkAndHolds(BlocksOf(1, 6)));
  EXPECT_THAT(FilesIn(path_), ElementsAre(SegmentName(1), SegmentName(2)));
  EXPECT_EQ(ReadFile(PathOf(1)), first_segment);
}

// All segments were deleted, and kill -9 came before the next one had a header.
TEST_F(FileJournalTest, SyncsWhenThereIsNoSegmentButWereSomeOnce) {
  std::filesystem::create_directories(path_);
  std::ofstream(PathOf(1)).close();

  auto journal = FileJournal::Open({.directory = path_, .fs = &fs_, .low_mark = 4});
  ASSERT_OK(journal);
  EXPECT_EQ((*journal)->segments(), 0u);
  EXPECT_EQ((*journal)->next_sequence(), 4u);
  EXPECT_EQ((*journal)->synced_sequence(), 4u);
  EXPECT_OK((*journal)->Sync());
  EXPECT_OK(WriteBlock(journal->get(), "next"));
  EXPECT_OK((*journal)->Close());
}

TEST_F(FileJournalTest, CloseSyncsAndEndsIt) {
  const auto journal = MustOpen();
  WriteBlocks(journal.get(), 3);
  ASSERT_OK(journal->Close());
  EXPECT_OK(journal->Close());
  EXPECT_THAT(WriteBlock(journal.get(), "late"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("closed")));
  fs_.LoseUnsynced(1);

  const auto again = MustOpen();
  EXPECT_EQ(again->synced_sequence(), 4u);
  EXPECT_THAT(ReplayAll(*again), IsOkAndHolds(BlocksOf(1, 4)));
}

TEST_F(FileJournalTest, FullSegmentsAreFollowedByNewOnes) {
  // Header, and two blocks of 31 bytes.
  const auto journal = MustOpen(/*segment_bytes=*/102);
  WriteBlocks(journal.get(), 5);
  EXPECT_THAT(FilesIn(path_), ElementsAre(SegmentName(1), SegmentName(2), SegmentName(3)));
  EXPECT_EQ(journal->segments(), 3u);
  EXPECT_EQ(journal->bytes(), 3 * kSegmentHeaderBytes + 5 * 31);

  // A block that is bigger than a segment has a separate one.
  ASSERT_OK(WriteBlock(journal.get(), std::string(1000, 'x')));
  WriteBlocks(journal.get(), 1);
  EXPECT_EQ(journal->segments(), 5u);

  const auto again = MustOpen();
  EXPECT_EQ(again->bytes(), journal->bytes());
  Blocks want = BlocksOf(1, 8);
  want[5].second = std::string(1000, 'x');
  EXPECT_THAT(ReplayAll(*again), IsOkAndHolds(want));
  for (uint64_t from = 1; from < 9; ++from)
    EXPECT_THAT(
        ReplayAll(*again, from),
        IsOkAndHolds(Blocks(want.begin() + static_cast<std::ptrdiff_t>(from) - 1, want.end())));
}

TEST_F(FileJournalTest, DeleteBelowKeepsTheNewest) {
  const auto journal = MustOpen(/*segment_bytes=*/102);
  WriteBlocks(journal.get(), 6);
  ASSERT_OK(journal->DeleteBelow(3));
  EXPECT_EQ(journal->oldest_sequence(), 3u);
  ASSERT_OK(journal->DeleteBelow(4));
  EXPECT_THAT(FilesIn(path_), ElementsAre(SegmentName(2), SegmentName(3)));
  ASSERT_OK(journal->DeleteBelow(100));
  EXPECT_THAT(FilesIn(path_), ElementsAre(SegmentName(3)));
  EXPECT_EQ(journal->oldest_sequence(), 5u);
  EXPECT_EQ(journal->segments(), 1u);
  EXPECT_EQ(journal->bytes(), 102u);

  EXPECT_THAT(ReplayAll(*journal, 5), IsOkAndHolds(BlocksOf(5, 7)));
  EXPECT_THAT(ReplayAll(*journal, 4), StatusIs(absl::StatusCode::kDataLoss,
                                               HasSubstr("from block 4; the oldest block is 5")));
  ASSERT_OK(journal->Sync());
  EXPECT_EQ(MustOpen()->next_sequence(), 7u);
}

TEST_F(FileJournalTest, ReplayReportsDamageThatCameAfterOpen) {
  const auto journal = MustOpen();
  WriteBlocks(journal.get(), 3);
  Damage(PathOf(1), kSegmentHeaderBytes + 31 + 5);

  EXPECT_THAT(ReplayAll(*journal),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(PathOf(1) + " at offset 71")));
}

TEST_F(FileJournalTest, ABlockIsOneAppend) {
  const auto journal = MustOpen();
  WriteBlocks(journal.get(), 1);
  const uint64_t before = fs_.Count(FaultFs::kAllOperations);
  const std::array<std::string_view, 3> parts = {"a", "b", "c"};
  ASSERT_OK(journal->Write(parts));

  EXPECT_EQ(fs_.Count(FaultFs::kAllOperations), before + 1);
}

TEST_F(FileJournalTest, RefusesABlockThatIsTooBig) {
  const auto journal = MustOpen();
  const std::string part(kBlockPayloadBytesMax / 256, 'x');
  const std::vector<std::string_view> parts(257, part);

  EXPECT_THAT(journal->Write(parts), StatusIs(absl::StatusCode::kInvalidArgument,
                                              HasSubstr("expected at most 268435456")));
  EXPECT_EQ(journal->next_sequence(), 1u);
}

TEST_F(FileJournalTest, WithoutSyncNothingIsSynced) {
  const auto journal = MustOpen(/*segment_bytes=*/102);
  const uint64_t before = fs_.Count(FaultFs::kSync | FaultFs::kDirectorySync);
  WriteBlocks(journal.get(), 10);

  EXPECT_EQ(fs_.Count(FaultFs::kSync | FaultFs::kDirectorySync), before);
}

TEST_F(FileJournalTest, SyncTakesOnlyWhatIsNotSyncedYet) {
  const auto journal = MustOpen(/*segment_bytes=*/102);
  WriteBlocks(journal.get(), 6);
  const uint64_t before = fs_.Count(FaultFs::kSync);
  ASSERT_OK(journal->Sync());
  EXPECT_EQ(journal->synced_sequence(), 7u);
  EXPECT_EQ(fs_.Count(FaultFs::kSync), before + 3);
  ASSERT_OK(journal->Sync());
  EXPECT_EQ(fs_.Count(FaultFs::kSync), before + 3);

  WriteBlocks(journal.get(), 1);
  const uint64_t directory_syncs = fs_.Count(FaultFs::kDirectorySync);
  ASSERT_OK(journal->Sync());
  EXPECT_EQ(fs_.Count(FaultFs::kSync), before + 5);
  EXPECT_EQ(fs_.Count(FaultFs::kDirectorySync), directory_syncs + 1);
}

// Blocks that an earlier opening wrote and did not sync have to be synced before newer blocks
// count.
TEST_F(FileJournalTest, SyncCoversWhatWasThereAtOpen) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    StartOver();
    WriteBlocks(MustOpen(/*segment_bytes=*/102).get(), 5);
    {
      const auto journal = MustOpen();
      WriteBlocks(journal.get(), 1);
      ASSERT_OK(journal->Sync());
    }
    fs_.LoseUnsynced(seed);
    EXPECT_THAT(ReplayAll(*MustOpen()), IsOkAndHolds(BlocksOf(1, 7)));
  }
}

// --- failing disks ---

struct WriteFault {
  const char* name;
  FaultFs::Fault fault;
};

class JournalWriteFaultTest : public FileJournalTest,
                              public testing::WithParamInterface<WriteFault> {};

TEST_P(JournalWriteFaultTest, CutsTheBlockBackAndTheRetryWorks) {
  {
    const auto journal = MustOpen();
    WriteBlocks(journal.get(), 2);
    const uint64_t size = std::filesystem::file_size(PathOf(1));
    fs_.FailOn(GetParam().fault);
    EXPECT_THAT(WriteBlock(journal.get(), std::string(20'000, 'x')),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr(PathOf(1))));
    EXPECT_EQ(std::filesystem::file_size(PathOf(1)), size);
    EXPECT_EQ(journal->next_sequence(), 3u);
    EXPECT_THAT(ReplayAll(*journal), IsOkAndHolds(BlocksOf(1, 3)));

    ASSERT_OK(WriteBlock(journal.get(), PayloadOf(3)));
    WriteBlocks(journal.get(), 1);
    EXPECT_EQ(journal->segments(), 1u);
    ASSERT_OK(journal->Sync());
  }
  fs_.LoseUnsynced(1);
  EXPECT_THAT(ReplayAll(*MustOpen()), IsOkAndHolds(BlocksOf(1, 5)));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    JournalWriteFaultTest,
    testing::Values(
        WriteFault{"NoSpace", {.operations = FaultFs::kAppend, .with = FaultFs::Failure::kNoSpace}},
        WriteFault{"IoError", {.operations = FaultFs::kAppend}},
        WriteFault{"ShortHeader", {.operations = FaultFs::kAppend, .append_bytes = 10}},
        WriteFault{"ShortPayload", {.operations = FaultFs::kAppend, .append_bytes = 8'000}},
        WriteFault{"WrittenInFull", {.operations = FaultFs::kAppend, .append_bytes = 1 << 20}},
        WriteFault{"NothingReserved",
                   {.operations = FaultFs::kAllocate, .with = FaultFs::Failure::kNoSpace}}),
    [](const auto& test) { return test.param.name; });

TEST_F(FileJournalTest, WhereTheCutFailsTooANewSegmentTakesOver) {
  for (const size_t append_bytes : {0u, 10u, 30u, 1000u}) {
    SCOPED_TRACE(append_bytes);
    StartOver();
    {
      const auto journal = MustOpen();
      WriteBlocks(journal.get(), 2);
      fs_.FailOn({.operations = FaultFs::kAppend, .append_bytes = append_bytes});
      fs_.FailOn({.operations = FaultFs::kTruncate});
      EXPECT_THAT(WriteBlock(journal.get(), "not acknowledged"),
                  StatusIs(absl::StatusCode::kUnavailable));
      WriteBlocks(journal.get(), 2);
      EXPECT_EQ(journal->segments(), 2u);
      EXPECT_THAT(ReplayAll(*journal), IsOkAndHolds(BlocksOf(1, 5)));
      ASSERT_OK(journal->Sync());
    }
    fs_.LoseUnsynced(1);
    EXPECT_THAT(ReplayAll(*MustOpen()), IsOkAndHolds(BlocksOf(1, 5)));
  }
}

TEST_F(FileJournalTest, ASegmentThatCannotBeBegunIsBegunByTheRetry) {
  const auto journal = MustOpen(/*segment_bytes=*/102);
  WriteBlocks(journal.get(), 2);
  for (const FaultFs::Operation operation :
       {FaultFs::kCreate, FaultFs::kAllocate, FaultFs::kAppend}) {
    for (const bool is_left_over : {false, true}) {
      fs_.FailOn({.operations = operation, .with = FaultFs::Failure::kNoSpace, .append_bytes = 17});
      if (is_left_over) fs_.FailOn({.operations = FaultFs::kDelete});
      EXPECT_THAT(WriteBlock(journal.get(), PayloadOf(3)),
                  StatusIs(absl::StatusCode::kUnavailable, HasSubstr("begin " + PathOf(2))));
      fs_.Heal();
      EXPECT_EQ(journal->next_sequence(), 3u);
      EXPECT_EQ(journal->segments(), 1u);
      EXPECT_EQ(MustOpen()->next_sequence(), 3u);
    }
  }
  WriteBlocks(journal.get(), 3);
  EXPECT_THAT(ReplayAll(*MustOpen()), IsOkAndHolds(BlocksOf(1, 6)));
}

TEST_F(FileJournalTest, ADiskThatStaysFullLosesNothing) {
  const auto journal = MustOpen();
  WriteBlocks(journal.get(), 2);
  fs_.FailOn({.operations = FaultFs::kAppend | FaultFs::kAllocate | FaultFs::kCreate,
              .is_lasting = true,
              .with = FaultFs::Failure::kNoSpace,
              .append_bytes = 5});
  for (int i = 0; i < 10; ++i)
    EXPECT_THAT(WriteBlock(journal.get(), "x"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_OK(journal->Sync());
  fs_.Heal();

  WriteBlocks(journal.get(), 1);
  EXPECT_THAT(ReplayAll(*MustOpen()), IsOkAndHolds(BlocksOf(1, 4)));
}

TEST_F(FileJournalTest, AFileSystemThatReservesNothingIsGoodEnough) {
  fs_.FailOn({.operations = FaultFs::kAllocate, .is_lasting = true});
  const auto journal = MustOpen();
  WriteBlocks(journal.get(), 3);

  EXPECT_EQ(fs_.Count(FaultFs::kAllocate), 1u);
  EXPECT_THAT(ReplayAll(*MustOpen()), IsOkAndHolds(BlocksOf(1, 4)));
}

TEST_F(FileJournalTest, AfterAFailedFsyncItTakesNothingUntilOpenedAgain) {
  for (const FaultFs::Operation operation : {FaultFs::kSync, FaultFs::kDirectorySync}) {
    StartOver();
    const auto journal = MustOpen();
    WriteBlocks(journal.get(), 2);
    fs_.FailOn({.operations = operation});
    const auto is_refused = StatusIs(absl::StatusCode::kFailedPrecondition,
                                     HasSubstr("the state of the journal on disk is unknown"));
    EXPECT_THAT(journal->Sync(), is_refused);
    EXPECT_THAT(journal->Sync(), is_refused);
    EXPECT_THAT(WriteBlock(journal.get(), "x"), is_refused);
    EXPECT_THAT(journal->Close(), is_refused);
    EXPECT_EQ(journal->synced_sequence(), 1u);
    EXPECT_EQ(journal->next_sequence(), 3u);

    const auto again = MustOpen();
    WriteBlocks(again.get(), 1);
    EXPECT_OK(again->Sync());
    EXPECT_THAT(ReplayAll(*again), IsOkAndHolds(BlocksOf(1, 4)));
  }
}

TEST_F(FileJournalTest, ASegmentThatCannotBeDeletedIsTriedAgain) {
  const auto journal = MustOpen(/*segment_bytes=*/102);
  WriteBlocks(journal.get(), 6);
  fs_.FailOn({.operations = FaultFs::kDelete});
  EXPECT_THAT(journal->DeleteBelow(5),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr(PathOf(1))));
  EXPECT_EQ(journal->oldest_sequence(), 1u);
  ASSERT_OK(journal->DeleteBelow(5));
  EXPECT_EQ(journal->oldest_sequence(), 5u);
}

// --- threads ---

TEST_F(FileJournalTest, SyncAndDeleteBesideWrite) {
  constexpr uint64_t kBlocks = 3000;
  uint64_t synced = 0;
  uint64_t deleted = 0;
  {
    const auto journal = MustOpen(/*segment_bytes=*/1000);
    std::atomic<bool> is_done{false};
    std::thread syncer([&] {
      while (!is_done) {
        const uint64_t before = journal->next_sequence();
        ASSERT_OK(journal->Sync());
        ASSERT_GE(journal->synced_sequence(), before);
        deleted = journal->synced_sequence() / 2;
        ASSERT_OK(journal->DeleteBelow(deleted));
        ASSERT_LE(journal->oldest_sequence(), std::max<uint64_t>(deleted, 1));
      }
    });
    WriteBlocks(journal.get(), kBlocks);
    is_done = true;
    syncer.join();
    synced = journal->synced_sequence();
  }
  fs_.LoseUnsynced(3);

  const auto journal = MustOpen();
  EXPECT_GE(journal->next_sequence(), synced);
  EXPECT_LE(journal->next_sequence(), kBlocks + 1);
  const uint64_t first = std::max<uint64_t>(deleted, 1);
  const auto found = ReplayAll(*journal, first);
  ASSERT_OK(found);
  std::set<uint64_t> sequences;
  for (const auto& [sequence, payload] : *found) {
    EXPECT_EQ(payload, PayloadOf(sequence));
    sequences.insert(sequence);
  }
  // Of those that were not synced any may be lost.
  for (uint64_t sequence = first; sequence < synced; ++sequence)
    EXPECT_TRUE(sequences.contains(sequence)) << sequence;
}

// A segment is synced, gets one more block, and is left for the next one before the sync is done.
TEST_F(FileJournalTest, ABlockThatComesAfterTheSyncOfItsSegmentIsSyncedByTheNext) {
  uint64_t synced = 0;
  {
    const auto journal = MustOpen(/*segment_bytes=*/1000);
    WriteBlocks(journal.get(), 3);
    bool is_first = true;
    fs_.SetHook([&](FaultFs::Operation operation, const std::string&) {
      if (operation == FaultFs::kDirectorySync && std::exchange(is_first, false)) {
        WriteBlocks(journal.get(), 60);
      }
    });
    ASSERT_OK(journal->Sync());
    EXPECT_FALSE(is_first);
    fs_.SetHook({});
    ASSERT_OK(journal->Sync());
    synced = journal->synced_sequence();
    EXPECT_EQ(synced, 64u);
  }
  fs_.LoseUnsynced(3);

  EXPECT_THAT(ReplayAll(*MustOpen()), IsOkAndHolds(BlocksOf(1, synced)));
}

// --- power loss ---

// Random writes, syncs, deletions, faults, kills and power losses, against a model of the required
// contents: every synced block, any of the later ones, nothing else, always in order.
class PowerLossTest : public FileJournalTest, public testing::WithParamInterface<uint64_t> {
 protected:
  void Run(uint64_t seed) {
    random_ = Random(seed);
    StartOver();
    written_.clear();
    refused_.clear();
    lost_.clear();
    surely_ = 1;
    low_mark_ = 1;
    for (int round = 0; round < 8; ++round) {
      ASSERT_NO_FATAL_FAILURE(Reopen());
      const uint64_t steps = random_.Below(200);
      for (uint64_t i = 0; i < steps; ++i)
        ASSERT_NO_FATAL_FAILURE(Step());
      journal_.reset();
      if (random_.Below(4) == 0) {
        surely_ = written_.size() + 1;  // kill -9 loses nothing
      } else {
        fs_.LoseUnsynced(random_.Next());
      }
    }
    Reopen();
  }

  void Reopen() {
    journal_.reset();
    fs_.Heal();
    auto journal = FileJournal::Open({.directory = path_,
                                      .fs = &fs_,
                                      .segment_bytes = 20'000,
                                      .preallocate_bytes = 8 << 10,
                                      .low_mark = low_mark_});
    ASSERT_OK(journal);
    journal_ = *std::move(journal);
    const auto found = ReplayAll(*journal_, low_mark_);
    ASSERT_OK(found);
    Check(*found);
  }

  // Takes the blocks found as the present contents.
  void Check(const Blocks& found) {
    const uint64_t end = journal_->next_sequence();
    ASSERT_GE(end, surely_);
    written_.resize(end - 1);
    auto next = found.begin();
    for (uint64_t sequence = low_mark_; sequence < end; ++sequence) {
      if (next == found.end() || next->first != sequence) {
        ASSERT_TRUE(sequence >= surely_ || lost_.contains(sequence)) << "block " << sequence;
        lost_.insert(sequence);
        continue;
      }
      const std::string& payload = next->second;
      const bool is_written = payload == written_[sequence - 1];
      // It may be one that was refused: its cut failed too, or came undone.
      const bool is_refused = sequence >= surely_ && refused_.contains({sequence, payload});
      ASSERT_TRUE(is_written || is_refused) << "block " << sequence << ": " << payload;
      ASSERT_FALSE(lost_.contains(sequence)) << "block " << sequence;
      written_[sequence - 1] = payload;
      ++next;
    }
    ASSERT_EQ(next, found.end());
    ASSERT_OK(journal_->UnseenCuts());
    surely_ = journal_->synced_sequence();
    refused_.clear();
  }

  void Write() {
    std::string payload = std::to_string(random_.Next());
    payload.append(random_.Below(3) == 0 ? random_.Below(9000) : random_.Below(100), 'p');
    const absl::Status status = WriteBlock(journal_.get(), payload);
    if (status.ok()) {
      written_.push_back(payload);
    } else {
      ASSERT_TRUE(absl::IsUnavailable(status) || absl::IsFailedPrecondition(status)) << status;
      refused_.emplace(written_.size() + 1, payload);
    }
  }

  void Sync() {
    const uint64_t before = journal_->next_sequence();
    if (journal_->Sync().ok()) surely_ = before;
  }

  void Delete() {
    if (surely_ <= low_mark_) return;
    low_mark_ += random_.Below(surely_ - low_mark_);
    EXPECT_OK(journal_->DeleteBelow(low_mark_));
  }

  void Fault() {
    constexpr FaultFs::Operation kWhich[] = {FaultFs::kAppend,   FaultFs::kTruncate,
                                             FaultFs::kAllocate, FaultFs::kCreate,
                                             FaultFs::kSync,     FaultFs::kAppend};
    fs_.FailOn(
        {.operations = kWhich[random_.Below(std::size(kWhich))],
         .nth = 1 + random_.Below(5),
         .is_lasting = random_.Below(4) == 0,
         .with = random_.Below(2) == 0 ? FaultFs::Failure::kNoSpace : FaultFs::Failure::kIoError,
         .append_bytes = random_.Below(2) == 0 ? 0 : random_.Below(9000)});
  }

  void Step() {
    switch (random_.Below(100)) {
      case 0:
        Delete();
        break;
      case 1:
        Fault();
        break;
      case 2:
        fs_.Heal();
        break;
      case 3:
        if (random_.Below(8) == 0 && journal_->Close().ok()) surely_ = journal_->next_sequence();
        break;
      case 4:
      case 5:
      case 6:
        Sync();
        break;
      default:
        Write();
    }
  }

  Random random_{0};
  std::unique_ptr<FileJournal> journal_;
  std::vector<std::string> written_;                    // acknowledged, by sequence - 1
  std::set<std::pair<uint64_t, std::string>> refused_;  // not acknowledged
  std::set<uint64_t> lost_;                             // not there, between others that are
  uint64_t surely_ = 1;  // blocks below it are synced, but for the lost ones
  uint64_t low_mark_ = 1;
};

TEST_P(PowerLossTest, WhatWasSyncedIsFoundAndNothingIsInvented) {
  constexpr uint64_t kSeeds = kIsSanitized ? 2 : 15;
  for (uint64_t seed = GetParam() * kSeeds; seed < (GetParam() + 1) * kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_NO_FATAL_FAILURE(Run(seed));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerLossTest, testing::Range<uint64_t>(0, 20));

TEST_F(FileJournalTest, PinnedSegmentsStayAndAreThoseThatAreNeeded) {
  // Two blocks a segment.
  const auto journal = MustOpen(kSegmentHeaderBytes + 2 * (kBlockHeaderBytes + 8));
  WriteBlocks(journal.get(), 5);
  std::unique_ptr<JournalPin> pin = journal->Pin(3);
  ASSERT_EQ(pin->files().size(), 2u);
  EXPECT_EQ(pin->files()[0].name, SegmentName(2));
  EXPECT_EQ(pin->files()[1].path, PathOf(3));
  EXPECT_EQ(pin->files()[1].bytes, kSegmentHeaderBytes + kBlockHeaderBytes + 7);
  EXPECT_EQ(pin->next_sequence(), 6u);

  WriteBlocks(journal.get(), 4);
  ASSERT_OK(journal->DeleteBelow(10));
  EXPECT_EQ(journal->oldest_sequence(), 1u);
  EXPECT_EQ(FilesIn(path_).size(), 5u);

  const std::unique_ptr<JournalPin> second = journal->Pin(10);
  EXPECT_TRUE(second->files().empty());
  pin.reset();
  ASSERT_OK(journal->DeleteBelow(10));
  EXPECT_EQ(journal->oldest_sequence(), 1u) << "the second holds them";
}

TEST_F(FileJournalTest, TheLeastLowMarkThatDeletesASegment) {
  const auto journal = MustOpen(/*segment_bytes=*/102);
  EXPECT_EQ(journal->LowMarkThatDeletes(0), 0u) << "there is no segment";
  WriteBlocks(journal.get(), 6);  // 1 and 2, 3 and 4, 5 and 6
  EXPECT_EQ(journal->LowMarkThatDeletes(0), 3u);
  EXPECT_EQ(journal->LowMarkThatDeletes(2), 3u);
  EXPECT_EQ(journal->LowMarkThatDeletes(3), 5u);
  EXPECT_EQ(journal->LowMarkThatDeletes(6), 5u) << "the newest segment stays";
  {
    const std::unique_ptr<JournalPin> pin = journal->Pin(0);
    EXPECT_EQ(journal->LowMarkThatDeletes(0), 0u);
  }
  ASSERT_OK(journal->DeleteBelow(2));
  EXPECT_EQ(journal->oldest_sequence(), 1u);
  ASSERT_OK(journal->DeleteBelow(3));
  EXPECT_EQ(journal->oldest_sequence(), 3u);
  ASSERT_OK(journal->DeleteBelow(5));
  EXPECT_EQ(journal->LowMarkThatDeletes(0), 0u) << "one segment is left";
}

// A journal with a missing segment is not opened.
TEST_F(FileJournalTest, PinnedSegmentsHaveNoGapWhereOneHasNoBlock) {
  WriteBlocks(MustOpen().get(), 2);
  fs_.FailOn({.operations = FaultFs::kAppend, .nth = 2});  // after the header
  EXPECT_THAT(WriteBlock(MustOpen().get(), "refused"), StatusIs(absl::StatusCode::kUnavailable));
  const auto journal = MustOpen();
  WriteBlocks(journal.get(), 2);

  const std::unique_ptr<JournalPin> pin = journal->Pin(0);

  std::vector<std::string> names;
  for (const JournalPin::File& file : pin->files())
    names.push_back(file.name);
  EXPECT_THAT(names, ElementsAre(SegmentName(1), SegmentName(2), SegmentName(3)));
  const std::string copy = directory_.file("copy");
  std::filesystem::create_directory(copy);
  for (const JournalPin::File& file : pin->files())
    WriteFile(copy + "/" + file.name, ReadFile(file.path).substr(0, file.bytes));
  path_ = copy;
  EXPECT_THAT(ReplayAll(*MustOpen()), IsOkAndHolds(BlocksOf(1, 5)));
  EXPECT_THAT(journal->Pin(3)->files(), testing::SizeIs(1));
}

TEST_F(FileJournalTest, OnceNoPinIsLeftSegmentsAreDeletedAgain) {
  const auto journal = MustOpen(kSegmentHeaderBytes + 2 * (kBlockHeaderBytes + 8));
  WriteBlocks(journal.get(), 5);
  journal->Pin(0).reset();
  ASSERT_OK(journal->DeleteBelow(5));
  EXPECT_EQ(journal->oldest_sequence(), 5u);
}

TEST(JournalMemoryTest, AnUnusuallyLargeBlockLeavesNoLargeBuffer) {
  TempDir directory;
  const auto journal = FileJournal::Open({.directory = directory.file("journal")});
  ASSERT_OK(journal);
  ASSERT_OK(WriteBlock(journal->get(), std::string(1 << 20, 'x')));
  EXPECT_GE((*journal)->buffer_bytes(), size_t{1} << 20) << "kept for the next block";
  ASSERT_OK(WriteBlock(journal->get(), std::string(32 << 20, 'x')));
  EXPECT_LE((*journal)->buffer_bytes(), size_t{4} << 20);
}

}  // namespace
}  // namespace hourcell::journal_test
