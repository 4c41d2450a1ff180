#include "engine/journal/journal_block.h"

#include <array>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "tests/support/status_matchers.h"

namespace hourcell::journal_block_test {
namespace {

using testing::HasSubstr;

constexpr uint64_t kSegment = 7;

std::string Header() {
  std::string bytes;
  AppendSegmentHeader({kSegment, 100, 90}, &bytes);
  return bytes;
}

std::string Block(uint64_t sequence, std::string_view payload, uint64_t synced_below = 90) {
  std::string bytes;
  AppendJournalBlock(kSegment, sequence, synced_below, {&payload, 1}, &bytes);
  return bytes;
}

// The CRC alone is not enough: bytes can be found that have the CRC of another segment.
TEST(JournalBlockTest, AHeaderThatNamesAnotherSegmentIsDamage) {
  std::string bytes = Header();
  StoreBigEndian(kSegment + 1, 8, bytes.data() + 16);
  char number[8];
  StoreBigEndian(kSegment, 8, number);
  const std::string_view covered = std::string_view(bytes).substr(12);
  StoreBigEndian(ExtendCrc32c(Crc32c({number, 8}), covered), 4, bytes.data() + 8);

  EXPECT_THAT(DecodeSegmentHeader(bytes, kSegment),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("of segment 8; expected 7")));
}

TEST(JournalBlockTest, HeaderBytesArePinned) {
  EXPECT_EQ(ToHex(Header()),
            "48434a4f55524e0a"  // magic
            "5d463cd1"          // CRC32C
            "00000001"          // format version
            "0000000000000007"  // number
            "0000000000000064"  // first sequence
            "000000000000005a"  // synced below
  );
}

TEST(JournalBlockTest, BlockAndFooterBytesArePinned) {
  EXPECT_EQ(ToHex(Block(100, "points")),
            "c3cd1913"          // CRC32C
            "00000006"          // length
            "0000000000000064"  // sequence
            "000000000000005a"  // synced below
            "706f696e7473");
  std::string footer;
  AppendJournalFooter(kSegment, 101, &footer);
  EXPECT_EQ(ToHex(footer),
            "d2d7921d"
            "ffffffff"
            "0000000000000065"
            "0000000000000065");
}

TEST(JournalBlockTest, HeaderComesBack) {
  EXPECT_THAT(DecodeSegmentHeader(Header() + "blocks", kSegment),
              IsOkAndHolds(SegmentHeader{kSegment, 100, 90}));
}

TEST(JournalBlockTest, SaysWhatIsWrongWithAHeader) {
  const std::string header = Header();
  EXPECT_THAT(DecodeSegmentHeader(header.substr(0, 39), kSegment),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("39 bytes; expected 40")));
  EXPECT_THAT(DecodeSegmentHeader(std::string(40, '\0'), kSegment),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("begins with 0000000000000000")));
  EXPECT_THAT(DecodeSegmentHeader(header, kSegment + 1),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("as those of segment 8")));
  for (size_t i = 0; i < header.size(); ++i) {
    std::string damaged = header;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_THAT(DecodeSegmentHeader(damaged, kSegment), StatusIs(absl::StatusCode::kDataLoss)) << i;
  }
}

TEST(JournalBlockTest, PartsBecomeOnePayload) {
  const std::array<std::string_view, 3> parts = {"po", "", "ints"};
  std::string bytes = "before";
  AppendJournalBlock(kSegment, 100, 90, parts, &bytes);
  EXPECT_EQ(bytes, "before" + Block(100, "points"));

  const auto block = DecodeJournalBlock(bytes.substr(6), kSegment, 100);
  ASSERT_OK(block);
  EXPECT_EQ(block->sequence, 100u);
  EXPECT_EQ(block->synced_below, 90u);
  EXPECT_FALSE(block->is_footer);
  EXPECT_EQ(block->size(), 30u);
}

TEST(JournalBlockTest, EmptyPayloadIsABlock) {
  const std::string bytes = Block(1, "");
  const auto block = DecodeJournalBlock(bytes, kSegment, 1);
  ASSERT_OK(block);
  EXPECT_EQ(block->payload, "");
  EXPECT_FALSE(block->is_footer);
}

TEST(JournalBlockTest, EveryFlippedBitAndEveryMissingByteIsSeen) {
  const std::string bytes = Block(100, "points");
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THAT(DecodeJournalBlock(damaged, kSegment, 100), StatusIs(absl::StatusCode::kDataLoss))
        << "bit " << bit;
  }
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(DecodeJournalBlock(bytes.substr(0, size), kSegment, 100),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("bytes are left")));
}

TEST(JournalBlockTest, ABlockOfAnotherSegmentOrSequenceIsNone) {
  const std::string bytes = Block(100, "points");
  EXPECT_THAT(DecodeJournalBlock(bytes, kSegment + 1, 100),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("CRC32C c3cd1913")));
  EXPECT_THAT(DecodeJournalBlock(bytes, kSegment, 99),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("block 99: the block here has")));
}

TEST(JournalBlockTest, LengthsBeyondTheLimitAreNone) {
  std::string bytes = Block(1, "");
  StoreBigEndian(kBlockPayloadBytesMax + 1, 4, bytes.data() + 4);
  EXPECT_EQ(JournalBlockBytes(bytes), std::nullopt);
  StoreBigEndian(kBlockPayloadBytesMax, 4, bytes.data() + 4);
  EXPECT_EQ(JournalBlockBytes(bytes), kBlockPayloadBytesMax + kBlockHeaderBytes);
}

TEST(JournalBlockTest, AGapNamesTheBlockThatFollows) {
  std::string gap;
  AppendJournalGap(kSegment, 105, 90, &gap);
  EXPECT_EQ(gap.size(), kBlockHeaderBytes);
  EXPECT_EQ(JournalBlockBytes(gap), kBlockHeaderBytes);
  EXPECT_EQ(ToHex(gap.substr(4)),
            "fffffffe"
            "0000000000000069"
            "000000000000005a");

  const auto block = DecodeJournalBlock(gap, kSegment, 101);
  ASSERT_OK(block);
  EXPECT_TRUE(block->is_gap);
  EXPECT_FALSE(block->is_footer);
  EXPECT_EQ(block->sequence, 105u);
  EXPECT_THAT(
      DecodeJournalBlock(gap, kSegment, 105),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("block 105: a gap has sequence 105")));
}

TEST(JournalRunsTest, FindsBlocksBetweenGarbage) {
  std::string footer;
  AppendJournalFooter(kSegment, 104, &footer);
  const std::string first = Block(101, "a", 80) + Block(102, "b", 95);
  const std::string second = Block(103, "c", 90) + footer;
  const std::string bytes = "garbage" + first + std::string(50, '\0') + second + "end";

  const auto runs = FindJournalRuns(bytes, 0, kSegment, 100, 1000);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0], (JournalRun{.begin = 7,
                                 .end = 7 + first.size(),
                                 .first_sequence = 101,
                                 .end_sequence = 103,
                                 .blocks = 2,
                                 .synced_below = 95,
                                 .said_by = 102}));
  EXPECT_EQ(runs[1], (JournalRun{.begin = 57 + first.size(),
                                 .end = 57 + first.size() + second.size(),
                                 .first_sequence = 103,
                                 .end_sequence = 104,
                                 .blocks = 2,
                                 .synced_below = 104,
                                 .said_by = 104,
                                 .has_footer = true}));
  EXPECT_EQ(FindJournalRuns(bytes, 8, kSegment, 100, 1000).front().first_sequence, 102u);
}

TEST(JournalRunsTest, OnlyAscendingWithinTheRangeAndOfThisSegment) {
  const std::string bytes =
      Block(99, "a") + Block(101, "b", 91) + Block(101, "again", 91) + Block(111, "c", 92);

  const auto runs = FindJournalRuns(bytes, 0, kSegment, 100, 111);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].blocks, 1u);
  EXPECT_EQ(runs[0].synced_below, 91u);
  EXPECT_TRUE(FindJournalRuns(bytes, 0, kSegment + 1, 0, 1000).empty());
}

TEST(JournalRunsTest, AGapIsPartOfARunAndAMissingBlockEndsOne) {
  std::string gap;
  AppendJournalGap(kSegment, 105, 0, &gap);
  const std::string bytes = Block(101, "a") + gap + Block(105, "b") + Block(107, "c");

  const auto runs = FindJournalRuns(bytes, 0, kSegment, 101, 1000);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].blocks, 3u);
  EXPECT_EQ(runs[0].end_sequence, 106u);
  EXPECT_EQ(runs[1].begin, runs[0].end);
  EXPECT_EQ(runs[1].first_sequence, 107u);
  EXPECT_TRUE(FindJournalRuns(bytes, 31 - 6, kSegment, 101, 1000).front().begins_with_gap);
}

TEST(JournalRunsTest, NothingInNothing) {
  EXPECT_TRUE(FindJournalRuns("", 0, kSegment, 0, 10).empty());
  EXPECT_TRUE(FindJournalRuns("x", 5, kSegment, 0, 10).empty());
  EXPECT_TRUE(FindJournalRuns(std::string(100'000, '\0'), 0, kSegment, 1, 10).empty());
}

}  // namespace
}  // namespace hourcell::journal_block_test
