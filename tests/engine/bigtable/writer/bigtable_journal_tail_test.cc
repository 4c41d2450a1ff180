#include "engine/bigtable/writer/bigtable_journal_tail.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/bigtable/api/bigtable_channels.h"
#include "engine/bigtable/writer/bigtable_journal.h"
#include "engine/bigtable/writer/journal_rows.h"
#include "engine/bigtable/writer/system_rows.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/status_matchers.h"

namespace hourcell::bigtable_journal_tail_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::IsEmpty;

class BigtableJournalTailTest : public testing::Test {
 protected:
  BigtableJournalTailTest() {
    const BigtableOptions options = QuickBigtableOptions(fake_);
    client_ = std::make_unique<BigtableClient>(options, *OpenBigtableChannels(options));
    EXPECT_OK(client_->CreateTable("hourcell-system", "h"));
    EXPECT_OK(client_->CreateTable("hourcell-journal", "h"));
    tail_ = std::make_unique<BigtableJournalTail>(client_.get());
  }

  // Takes the lease from the writer that has it.
  absl::StatusOr<std::unique_ptr<BigtableJournal>> Open(uint64_t writer) {
    leases_[writer] = std::make_unique<LeaseRow>(client_.get(), writer, "", &losses_[writer]);
    EXPECT_OK(leases_[writer]->Acquire(*ReadLease(client_.get())));
    return BigtableJournal::Open(client_.get(), leases_[writer].get(), &losses_[writer]);
  }

  static absl::Status Write(BigtableJournal* journal, std::string_view payload) {
    return journal->Write({&payload, 1});
  }

  // The blocks from `from` on; `*end` gets the result of Read.
  std::vector<std::string> Blocks(uint64_t from, uint64_t* end) {
    std::vector<std::string> blocks;
    const absl::StatusOr<uint64_t> read =
        tail_->Read(from, [&](uint64_t, std::string_view payload) {
          blocks.emplace_back(payload);
          return absl::OkStatus();
        });
    EXPECT_OK(read);
    *end = read.value_or(0);
    return blocks;
  }

  FakeBigtable fake_;
  LeaseLoss losses_[3];
  std::unique_ptr<LeaseRow> leases_[3];
  std::unique_ptr<BigtableClient> client_;
  std::unique_ptr<BigtableJournalTail> tail_;
};

TEST_F(BigtableJournalTailTest, GoesOnWhereItEndedAndPassesFences) {
  uint64_t end = 0;
  EXPECT_THAT(Blocks(0, &end), IsEmpty());
  EXPECT_EQ(end, 1U);
  auto first = Open(1);
  ASSERT_OK(Write(first->get(), "a"));
  EXPECT_THAT(Blocks(end, &end), ElementsAre("a"));
  auto second = Open(2);
  ASSERT_OK(Write(second->get(), "b"));
  ASSERT_OK(Write(second->get(), "c"));
  EXPECT_THAT(Blocks(end, &end), ElementsAre("b", "c"));
  EXPECT_EQ(end, (*second)->next_sequence());
}

// A block that came late, and that no writer acknowledged.
TEST_F(BigtableJournalTailTest, EndsBeforeAGap) {
  auto journal = Open(1);
  ASSERT_OK(Write(journal->get(), "a"));
  fake_.PutCell("hourcell-journal", JournalRowKey((*journal)->next_sequence() + 1),
                {"h", kBlockQualifier}, 1000, "late");
  uint64_t end = 0;
  EXPECT_THAT(Blocks(0, &end), ElementsAre("a"));
  EXPECT_EQ(end, (*journal)->next_sequence());
}

TEST_F(BigtableJournalTailTest, DeletedBlocksAreBelowTheLogStart) {
  auto journal = Open(1);
  for (const char* payload : {"a", "b", "c"})
    ASSERT_OK(Write(journal->get(), payload));
  uint64_t end = 0;
  Blocks(0, &end);
  EXPECT_LE(tail_->Look()->log_start, end);
  ASSERT_OK((*journal)->DeleteBelow((*journal)->next_sequence()));
  EXPECT_THAT(Blocks(2, &end), IsEmpty());
  EXPECT_GT(tail_->Look()->log_start, end);
}

TEST_F(BigtableJournalTailTest, CountsChanges) {
  EXPECT_EQ(tail_->Look()->changes, 0U);
  ASSERT_OK(client_->Increment("hourcell-system", std::string(kChangesRow), "h", 1));
  ASSERT_OK(client_->Increment("hourcell-system", std::string(kChangesRow), "h", 1));
  EXPECT_EQ(tail_->Look()->changes, 2U);
}

TEST_F(BigtableJournalTailTest, ARowOfAnotherKindIsDamage) {
  fake_.PutCell("hourcell-journal", JournalRowKey(1), {"h", "x"}, 1000, "");
  const auto visit = [](uint64_t, std::string_view) { return absl::OkStatus(); };
  EXPECT_THAT(tail_->Read(0, visit), StatusIs(StatusCode::kDataLoss));
}

}  // namespace
}  // namespace hourcell::bigtable_journal_tail_test
