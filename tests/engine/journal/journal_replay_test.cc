#include "engine/journal/journal_replay.h"

#include <rocksdb/file_system.h>

#include "tests/engine/journal/journal_testing.h"

namespace hourcell::journal_replay_test {
namespace {

using testing::HasSubstr;

class ReplaySegmentsTest : public testing::Test {
 protected:
  // Three segments of a thousand blocks each, of 2 KiB each: a few batches a segment.
  ReplaySegmentsTest() {
    for (uint64_t number = 1; number <= 3; ++number) {
      std::string bytes;
      const uint64_t first = 1 + (number - 1) * kBlocks;
      AppendSegmentHeader({number, first, 1}, &bytes);
      for (uint64_t sequence = first; sequence < first + kBlocks; ++sequence) {
        const std::string text = PayloadOf(sequence) + std::string(2000, ' ');
        const std::string_view payload = text;
        AppendJournalBlock(number, sequence, 1, {&payload, 1}, &bytes);
      }
      WriteFile(PathOf(number), bytes);
      segments_.push_back({PathOf(number), number, bytes.size(), first + kBlocks});
    }
  }

  std::string PathOf(uint64_t number) const { return directory_.file(SegmentName(number)); }

  // Replays and counts; stops with an error at block `stop`.
  absl::Status Replay(uint64_t from, uint64_t stop = 0) {
    visited_ = 0;
    next_ = from;
    return ReplaySegments(rocksdb::FileSystem::Default().get(), segments_, from,
                          [&](uint64_t sequence, std::string_view payload) {
                            EXPECT_EQ(sequence, next_++);
                            EXPECT_TRUE(payload.starts_with(PayloadOf(sequence) + " "));
                            ++visited_;
                            return sequence == stop ? absl::AbortedError("enough")
                                                    : absl::OkStatus();
                          });
  }

  static constexpr uint64_t kBlocks = 1000;
  TempDir directory_;
  std::vector<SegmentReader::Range> segments_;
  uint64_t visited_ = 0;
  uint64_t next_ = 0;
};

TEST_F(ReplaySegmentsTest, AllBlocksInOrder) {
  EXPECT_OK(Replay(1));
  EXPECT_EQ(visited_, 3 * kBlocks);
}

TEST_F(ReplaySegmentsTest, FromTheMiddle) {
  EXPECT_OK(Replay(500));
  EXPECT_EQ(visited_, 3 * kBlocks - 499);
}

TEST_F(ReplaySegmentsTest, AnErrorOfTheVisitorEndsIt) {
  for (const uint64_t stop : {1u, 999u, 1000u, 2500u, 3000u}) {
    EXPECT_THAT(Replay(1, stop), StatusIs(absl::StatusCode::kAborted));
    EXPECT_EQ(visited_, stop);
  }
}

TEST_F(ReplaySegmentsTest, DamageComesAfterTheBlocksInFrontOfIt) {
  Damage(PathOf(2), 1'000'000);
  EXPECT_THAT(Replay(1),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(PathOf(2) + " at offset")));
  EXPECT_GT(visited_, kBlocks);
  EXPECT_LT(visited_, 2 * kBlocks);
}

TEST_F(ReplaySegmentsTest, ASegmentThatEndsTooEarlyIsDamage) {
  segments_[1].end_sequence += 1;
  EXPECT_THAT(Replay(1),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("ends before block 2001; expected the blocks below 2002")));
}

TEST_F(ReplaySegmentsTest, NoSegmentsNoBlocks) {
  segments_.clear();
  EXPECT_OK(Replay(0));
  EXPECT_EQ(visited_, 0u);
}

}  // namespace
}  // namespace hourcell::journal_replay_test
