#include "engine/journal/journal_segment.h"

#include <rocksdb/file_system.h>

#include "codec/base/random.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"

namespace hourcell::journal_segment_test {
namespace {

using testing::HasSubstr;

class SegmentReaderTest : public testing::Test {
 protected:
  // A segment of the payloads, number 3, first sequence 10.
  static std::string SegmentOf(const std::vector<std::string>& payloads) {
    std::string bytes;
    AppendSegmentHeader({3, 10, 5}, &bytes);
    uint64_t sequence = 10;
    for (const std::string_view payload : payloads)
      AppendJournalBlock(3, sequence++, 5, {&payload, 1}, &bytes);
    return bytes;
  }

  absl::StatusOr<std::unique_ptr<SegmentReader>> Open(const std::string& bytes,
                                                      uint64_t end_sequence = ~uint64_t{0}) {
    WriteFile(path_, bytes);
    return SegmentReader::Open(rocksdb::FileSystem::Default().get(),
                               {path_, 3, bytes.size(), end_sequence});
  }

  static std::vector<std::string> PayloadsOf(SegmentReader* reader) {
    std::vector<std::string> payloads;
    BlockBatch batch;
    bool has_more = true;
    while (has_more) {
      const auto next = reader->Next(&batch);
      EXPECT_OK(next);
      for (const JournalBlock& block : batch.blocks)
        payloads.emplace_back(block.payload);
      has_more = next.ok() && *next;
    }
    return payloads;
  }

  TempDir directory_;
  const std::string path_ = directory_.file(SegmentName(3));
};

TEST(SegmentNameTest, ThereAndBack) {
  EXPECT_EQ(SegmentName(1), "00000000000000000001.log");
  EXPECT_EQ(SegmentNumberOf("00000000000000000012.log"), 12u);
  EXPECT_EQ(SegmentNumberOf(SegmentName(~uint64_t{0})), ~uint64_t{0});
  for (const char* other : {"1.log", "00000000000000000001.sst", "0000000000000000000x.log",
                            "99999999999999999999.log", "-0000000000000000001.log", "LOCK", ""})
    EXPECT_EQ(SegmentNumberOf(other), std::nullopt) << other;
}

TEST_F(SegmentReaderTest, BlocksOfEverySizeAcrossReads) {
  Random random(1);
  std::vector<std::string> payloads;
  for (const size_t size : {0u, 1u, 1u << 19, 5u, (1u << 20) - 24, 1u << 20, 3u << 20, 100u, 0u})
    payloads.emplace_back(size, static_cast<char>('a' + random.Below(26)));
  for (int i = 0; i < 300; ++i)
    payloads.emplace_back(random.Below(20'000), static_cast<char>('a' + random.Below(26)));

  const std::string bytes = SegmentOf(payloads);
  const auto reader = Open(bytes);
  ASSERT_OK(reader);
  EXPECT_TRUE(PayloadsOf(reader->get()) == payloads);
  EXPECT_OK((*reader)->fault());
  EXPECT_EQ((*reader)->next_sequence(), 10 + payloads.size());
  EXPECT_EQ((*reader)->offset(), bytes.size());
}

TEST_F(SegmentReaderTest, EndsWhereAnotherSegmentTakesOver) {
  const auto reader = Open(SegmentOf({"ten", "eleven", "twelve"}) + "torn", 12);
  ASSERT_OK(reader);
  EXPECT_EQ(PayloadsOf(reader->get()), (std::vector<std::string>{"ten", "eleven"}));
  EXPECT_OK((*reader)->fault());
  EXPECT_EQ((*reader)->next_sequence(), 12u);
}

TEST_F(SegmentReaderTest, EndsAtTheFooter) {
  std::string bytes = SegmentOf({"ten"});
  AppendJournalFooter(3, 11, &bytes);
  const auto reader = Open(bytes + std::string(100, '\0'));
  ASSERT_OK(reader);
  EXPECT_EQ(PayloadsOf(reader->get()), std::vector<std::string>{"ten"});
  EXPECT_OK((*reader)->fault());
  EXPECT_EQ((*reader)->synced_below(), 11u);
  EXPECT_EQ((*reader)->offset(), bytes.size());
}

TEST_F(SegmentReaderTest, SaysWhereAndWhatIsWrong) {
  const std::string good = SegmentOf({"ten"});
  const auto reader = Open(good + "torn");
  ASSERT_OK(reader);
  EXPECT_EQ(PayloadsOf(reader->get()), std::vector<std::string>{"ten"});
  EXPECT_THAT(
      (*reader)->fault(),
      StatusIs(absl::StatusCode::kDataLoss,
               HasSubstr(path_ + " at offset 67: block 11: 4 bytes are left; expected at")));
  EXPECT_EQ((*reader)->offset(), good.size());
}

TEST_F(SegmentReaderTest, AFileThatIsShorterThanItWasEndsThere) {
  const std::string bytes = SegmentOf({"ten", "eleven"});
  WriteFile(path_, bytes.substr(0, bytes.size() - 3));
  const auto reader = SegmentReader::Open(rocksdb::FileSystem::Default().get(),
                                          {path_, 3, bytes.size(), ~uint64_t{0}});
  ASSERT_OK(reader);
  EXPECT_EQ(PayloadsOf(reader->get()), std::vector<std::string>{"ten"});
  EXPECT_THAT((*reader)->fault(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("27 bytes are")));
}

TEST_F(SegmentReaderTest, AFileThatIsNotThereOrNoSegment) {
  EXPECT_FALSE(SegmentReader::Open(rocksdb::FileSystem::Default().get(), {path_, 3, 40, 1}).ok());
  EXPECT_THAT(Open("no segment"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path_)));
}

TEST_F(SegmentReaderTest, AReadThatGivesTooFewBytesIsNoEnd) {
  const std::string bytes = SegmentOf({"ten", "eleven"});
  WriteFile(path_, bytes);
  FaultFs fs;
  const auto reader = SegmentReader::Open(&fs, {path_, 3, bytes.size(), ~uint64_t{0}});
  ASSERT_OK(reader);
  fs.FailOn({.operations = FaultFs::kRead, .with = FaultFs::Failure::kEnded});
  BlockBatch batch;
  EXPECT_THAT((*reader)->Next(&batch), StatusIs(absl::StatusCode::kUnavailable,
                                                HasSubstr(path_ + " at offset 40: expected some")));
}

TEST_F(SegmentReaderTest, ReadsOnWhereOneReadGaveAPart) {
  const std::string bytes = SegmentOf({"ten", "eleven"});
  WriteFile(path_, bytes);
  FaultFs fs;
  fs.FailOn({.operations = FaultFs::kRead, .with = FaultFs::Failure::kShort});
  fs.FailOn({.operations = FaultFs::kRead, .nth = 3, .with = FaultFs::Failure::kShort});
  const auto reader = SegmentReader::Open(&fs, {path_, 3, bytes.size(), ~uint64_t{0}});
  ASSERT_OK(reader);
  EXPECT_EQ(PayloadsOf(reader->get()), (std::vector<std::string>{"ten", "eleven"}));
}

}  // namespace
}  // namespace hourcell::journal_segment_test
