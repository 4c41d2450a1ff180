#include "engine/rocks_table_footer.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include "tests/engine/journal_testing.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

class RocksTableFooterTest : public testing::Test {
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
    return CheckTableFooter(file.get(), path_, content.size());
  }

  TempDir dir_;
  const std::string path_ = dir_.file("000001.sst");
};

TEST_F(RocksTableFooterTest, TakesOursAndNoOther) {
  EXPECT_TRUE(Check(Write(kTableFormatVersion, kTableChecksum)).ok());
  EXPECT_TRUE(Check(Write(4, kTableChecksum)).IsCorruption());
  EXPECT_TRUE(Check(Write(kTableFormatVersion, rocksdb::kNoChecksum)).IsCorruption());
  EXPECT_TRUE(Check("too short").IsCorruption());
}

TEST_F(RocksTableFooterTest, EveryFlippedBitOfWhatNoChecksumCoversIsRefused) {
  const std::string whole = Write(kTableFormatVersion, kTableChecksum);
  const size_t footer = whole.size() - 53;
  for (size_t byte = footer; byte < whole.size(); ++byte) {
    if (byte > footer && byte < footer + 41) continue;  // handles and padding
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
      const rocksdb::IOStatus status = Check(damaged);
      EXPECT_TRUE(status.IsCorruption()) << byte - footer << " bit " << bit;
      EXPECT_NE(status.ToString().find(path_), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace hourcell
