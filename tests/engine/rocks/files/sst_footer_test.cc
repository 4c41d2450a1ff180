#include "engine/rocks/files/sst_footer.h"

#include <memory>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include "codec/base/bytes.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::sst_footer_test {
namespace {

class SstFooterTest : public testing::Test {
 protected:
  // A file of RocksDB's of that format and checksum.
  std::string Write(uint32_t version, rocksdb::ChecksumType checksum) {
    rocksdb::BlockBasedTableOptions blocks;
    blocks.format_version = version;
    blocks.checksum = checksum;
    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    EXPECT_TRUE(writer.Open(path_).ok());
    EXPECT_TRUE(writer.Put("key", "value").ok());
    EXPECT_TRUE(writer.Finish().ok());
    return ReadFile(path_);
  }

  rocksdb::IOStatus Check(const std::string& content) {
    WriteFile(path_, content);
    std::unique_ptr<rocksdb::FSRandomAccessFile> file;
    EXPECT_TRUE(
        rocksdb::FileSystem::Default()->NewRandomAccessFile(path_, {}, &file, nullptr).ok());
    return CheckSstFooter(file.get(), path_, content.size());
  }

  TempDir dir_;
  const std::string path_ = dir_.file("000001.sst");
};

TEST_F(SstFooterTest, TakesOursAndNoOther) {
  EXPECT_TRUE(Check(Write(kTableFormatVersion, kTableChecksum)).ok());
  EXPECT_TRUE(Check(Write(4, kTableChecksum)).IsCorruption());
  EXPECT_TRUE(Check(Write(kTableFormatVersion, rocksdb::kNoChecksum)).IsCorruption());
  EXPECT_TRUE(Check("too short").IsCorruption());
}

// No checksum covers the version, so that damage may look like a newer one.
TEST_F(SstFooterTest, AHigherVersionMayBeOfANewerProgram) {
  std::string content = Write(kTableFormatVersion, kTableChecksum);
  content[content.size() - 12] = 6;
  const rocksdb::IOStatus status = Check(content);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_THAT(status.ToString(), testing::HasSubstr("If a newer version of Hourcell wrote it"));
}

// The index, which lies before the properties, is RocksDB's to check; but it may not be anywhere.
TEST_F(SstFooterTest, EveryFlippedBitOfWhatRocksDbReadsUncheckedIsRefused) {
  const std::string whole = Write(kTableFormatVersion, kTableChecksum);
  const size_t footer = whole.size() - 53;
  // The first property's name, and before it lengths: three varints.
  const size_t properties = whole.find("rocksdb.") - 3;
  ASSERT_LT(properties, footer);
  for (size_t byte = properties; byte < whole.size(); ++byte) {
    if (byte >= footer + 1 + 2 && byte < footer + 41) continue;  // handles and padding
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
      const rocksdb::IOStatus status = Check(damaged);
      EXPECT_TRUE(status.IsCorruption()) << byte - footer << " bit " << bit;
      EXPECT_NE(status.ToString().find(path_), std::string::npos);
    }
  }
}

TEST_F(SstFooterTest, AHandleThatLeavesTheFileIsRefused) {
  std::string damaged = Write(kTableFormatVersion, kTableChecksum);
  // Offset and size of the index, after those of the metaindex, by a varint too long for the file.
  std::string handles = damaged.substr(damaged.size() - 52, 40);
  std::string_view rest = handles;
  ASSERT_OK(TakeVarint(&rest));
  ASSERT_OK(TakeVarint(&rest));
  std::string index;
  AppendVarint(0, &index);
  AppendVarint(uint64_t{1} << 50, &index);
  damaged.replace(damaged.size() - 12 - rest.size(), index.size(), index);

  const rocksdb::IOStatus status = Check(damaged);

  EXPECT_TRUE(status.IsCorruption());
  EXPECT_THAT(status.ToString(), testing::HasSubstr("index"));
}

}  // namespace
}  // namespace hourcell::sst_footer_test
