#include "engine/bigtable/writer/bigtable_journal.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/bigtable/api/bigtable_channels.h"
#include "engine/bigtable/writer/system_rows.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/status_matchers.h"

namespace hourcell::bigtable_journal_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class BigtableJournalTest : public testing::Test {
 protected:
  BigtableJournalTest() {
    const BigtableOptions options = QuickBigtableOptions(fake_);
    client_ = std::make_unique<BigtableClient>(options, *OpenBigtableChannels(options));
    EXPECT_OK(client_->CreateTable("hourcell-system", "h"));
    EXPECT_OK(client_->CreateTable("hourcell-journal", "h"));
  }

  // Takes the lease from the writer that has it.
  absl::StatusOr<std::unique_ptr<BigtableJournal>> Open(uint64_t writer) {
    leases_[writer] = std::make_unique<LeaseRow>(client_.get(), writer, "", &losses_[writer]);
    const absl::StatusOr<LeaseState> seen = ReadLease(client_.get());
    if (!seen.ok()) return seen.status();
    if (const absl::Status taken = leases_[writer]->Acquire(*seen); !taken.ok()) return taken;
    return BigtableJournal::Open(client_.get(), leases_[writer].get(), &losses_[writer]);
  }

  static absl::Status Write(BigtableJournal* journal, std::string_view payload) {
    return journal->Write({&payload, 1});
  }

  static std::vector<std::string> Blocks(const BigtableJournal& journal, uint64_t from = 0) {
    std::vector<std::string> blocks;
    EXPECT_OK(journal.Replay(from, [&](uint64_t, std::string_view payload) {
      blocks.emplace_back(payload);
      return absl::OkStatus();
    }));
    return blocks;
  }

  size_t StoredRows() {
    const FakeBigtable::Table table = fake_.TableOf("hourcell-journal");
    return static_cast<size_t>(
        std::ranges::count_if(table, [](const auto& row) { return !row.second.empty(); }));
  }

  FakeBigtable fake_;
  LeaseLoss losses_[100];
  std::unique_ptr<LeaseRow> leases_[100];
  std::unique_ptr<BigtableClient> client_;
};

TEST_F(BigtableJournalTest, BlocksComeBackInOrder) {
  auto first = Open(1);
  ASSERT_OK(first);
  for (const char* payload : {"a", "b", "c"})
    ASSERT_OK(Write(first->get(), payload));

  const auto second = Open(2);
  ASSERT_OK(second);

  EXPECT_THAT(Blocks(**second), ElementsAre("a", "b", "c"));
  EXPECT_EQ((*second)->next_sequence(), 6U);  // both fences have a number
  EXPECT_EQ((*second)->bytes(), 3U);
}

TEST_F(BigtableJournalTest, AWriterThatWasReplacedWritesNothing) {
  auto first = Open(1);
  ASSERT_OK(Write(first->get(), "a"));
  auto second = Open(2);
  ASSERT_OK(Write(second->get(), "b"));

  EXPECT_THAT(Write(first->get(), "x"),
              StatusIs(StatusCode::kUnavailable, HasSubstr("another process")));
  EXPECT_THAT((*first)->failure(), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT((*first)->DeleteBelow(100), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(Blocks(**Open(3)), ElementsAre("a", "b"));
}

TEST_F(BigtableJournalTest, AFenceOutlivesTheBlocksAroundIt) {
  auto first = Open(1);
  ASSERT_OK(Write(first->get(), "a"));
  auto second = Open(2);
  for (int i = 0; i < 5; ++i)
    ASSERT_OK(Write(second->get(), "b"));
  ASSERT_OK((*second)->DeleteBelow((*second)->next_sequence()));

  // Else it would find no row where its next block goes.
  EXPECT_THAT(Write(first->get(), "x"), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT((*first)->failure(), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(StoredRows(), 3U);  // two fences, and the newest block
}

TEST_F(BigtableJournalTest, AWriterThatLosesTheLeaseWhileItOpensGivesWay) {
  const absl::StatusOr<LeaseState> seen = ReadLease(client_.get());
  LeaseRow slow(client_.get(), 2, "", &losses_[2]);
  ASSERT_OK(slow.Acquire(*seen));
  auto third = Open(3);
  ASSERT_OK(Write(third->get(), "a"));

  EXPECT_THAT(BigtableJournal::Open(client_.get(), &slow, &losses_[2]),
              StatusIs(StatusCode::kAborted));
  EXPECT_OK(Write(third->get(), "b"));
}

// Its log start would hide the one that its successor reads, and its deletions take blocks that the
// successor needs.
TEST_F(BigtableJournalTest, AReplacedWriterDeletesNothing) {
  auto first = Open(1);
  for (const char* payload : {"a", "b", "c"})
    ASSERT_OK(Write(first->get(), payload));
  auto second = Open(2);
  ASSERT_OK(Write(second->get(), "d"));

  EXPECT_THAT((*first)->DeleteBelow(4), StatusIs(StatusCode::kFailedPrecondition));

  EXPECT_THAT(losses_[1].status(), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(Blocks(**Open(3)), ElementsAre("a", "b", "c", "d"));
}

// A block after a missing one is not the end of the journal: it may have been acknowledged.
TEST_F(BigtableJournalTest, AGapBeforeABlockIsDataLoss) {
  auto journal = Open(1);
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(Write(journal->get(), "a"));
  RowMutations removal;
  removal.set_row_key(EncodeNumber(2));
  removal.add_mutations()->mutable_delete_from_row();
  ASSERT_OK(client_->Mutate("hourcell-journal", {removal}));

  EXPECT_THAT(Open(2), StatusIs(StatusCode::kDataLoss,
                                HasSubstr("block 2 is missing, and there is block 3")));
}

// A store of a version that had the log start in a separate row.
TEST_F(BigtableJournalTest, TheLogStartOfAnOlderVersionIsCarriedOver) {
  fake_.PutCell("hourcell-system", "front", "a", 5000, EncodeNumber(3));
  fake_.PutCell("hourcell-journal", EncodeNumber(3), "b", 1000, "a");

  EXPECT_THAT(Blocks(**Open(1)), ElementsAre("a"));
  EXPECT_THAT(ReadLease(client_.get())->log_start, testing::Optional(3U));
  // A program of that version finds no number, and does not open the store.
  EXPECT_EQ(fake_.TableOf("hourcell-system")["front"]["a"].begin()->second, "in `active`");

  EXPECT_THAT(Blocks(**Open(2)), ElementsAre("a"));
}

TEST_F(BigtableJournalTest, DeletesAllButTheNewestBlockUntilItIsClosed) {
  auto journal = Open(1);
  for (int i = 0; i < 5; ++i)
    ASSERT_OK(Write(journal->get(), "abc"));

  ASSERT_OK((*journal)->DeleteBelow((*journal)->next_sequence()));
  EXPECT_EQ((*journal)->oldest_sequence(), 6U);
  EXPECT_EQ((*journal)->bytes(), 3U);
  EXPECT_THAT(Blocks(**journal), SizeIs(1));

  ASSERT_OK((*journal)->Close());
  ASSERT_OK((*journal)->DeleteBelow((*journal)->next_sequence()));
  EXPECT_EQ((*journal)->bytes(), 0U);
  EXPECT_EQ(StoredRows(), 1U);  // the fence
  EXPECT_THAT(Write(journal->get(), "x"), StatusIs(StatusCode::kFailedPrecondition));

  EXPECT_THAT(Blocks(**Open(2)), IsEmpty());
}

TEST_F(BigtableJournalTest, APinHoldsBlocks) {
  auto journal = Open(1);
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(Write(journal->get(), "a"));
  {
    const std::unique_ptr<JournalPin> pin = (*journal)->Pin(0);
    EXPECT_EQ(pin->next_sequence(), 5U);
    ASSERT_OK((*journal)->DeleteBelow(4));
    EXPECT_EQ((*journal)->LowMarkThatDeletes(0), 0U);
    EXPECT_THAT(Blocks(**journal), SizeIs(3));
  }
  EXPECT_EQ((*journal)->LowMarkThatDeletes(0), 4U);
  ASSERT_OK((*journal)->DeleteBelow(4));
  EXPECT_THAT(Blocks(**journal), SizeIs(1));
}

TEST_F(BigtableJournalTest, ABlockThatIsMissingIsDataLoss) {
  auto journal = Open(1);
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(Write(journal->get(), "a"));
  RowMutations removal;
  removal.set_row_key(EncodeNumber(3));
  removal.add_mutations()->mutable_delete_from_row();
  ASSERT_OK(client_->Mutate("hourcell-journal", {removal}));

  EXPECT_THAT((*journal)->Replay(0, [](uint64_t, std::string_view) { return absl::OkStatus(); }),
              StatusIs(StatusCode::kDataLoss, HasSubstr("block 3 is missing")));
}

TEST_F(BigtableJournalTest, WhatALateWriteBringsBackIsDeleted) {
  auto journal = Open(1);
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(Write(journal->get(), "a"));
  ASSERT_OK((*journal)->DeleteBelow(4));
  fake_.PutCell("hourcell-journal", EncodeNumber(2), "b", 1000, "late");

  const auto next = Open(2);
  ASSERT_OK(next);

  EXPECT_EQ(StoredRows(), 3U);  // two fences, and the newest block
  EXPECT_THAT(Blocks(**next), ElementsAre("a"));
}

TEST_F(BigtableJournalTest, CallsThatFailLoseNoBlockAndDoubleNone) {
  std::vector<std::string> written;
  uint64_t writer = 1;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    fake_.SetFaults({.seed = seed,
                     .refused = 0.1,
                     .unanswered = 0.2,
                     .late = 0.2,
                     .doubled = 0.2,
                     .cut_streams = 0.1});
    absl::StatusOr<std::unique_ptr<BigtableJournal>> journal = absl::UnavailableError("");
    // A try without an answer may have left a fence, which the next one finds.
    while (!journal.ok())
      journal = Open(writer++);
    for (int i = 0; i < 20; ++i) {
      const std::string payload = fmt::format("{}-{}", seed, i);
      absl::Status last = absl::UnavailableError("");
      for (int tries = 0; tries < 20 && absl::IsUnavailable(last); ++tries)
        last = Write(journal->get(), payload);
      ASSERT_OK(last) << "seed " << seed;
      written.push_back(payload);
    }
    fake_.SetFaults({});
    EXPECT_EQ(Blocks(**journal), written);
  }
}

}  // namespace
}  // namespace hourcell::bigtable_journal_test
