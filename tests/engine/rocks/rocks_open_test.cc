#include "engine/rocks/rocks_open.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "codec/base/strings.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/store_format.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_open_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RocksOpenTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<TableStore>> Open() {
    return OpenRocksTableStore(path_, TinyOptions(directory_.path()));
  }

  // The files of the database and their contents, but for RocksDB's log of messages.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("rocksdb.log") || name == "LOCK" || !entry.is_regular_file()) continue;
      files[name] = ReadFile(entry.path());
    }
    return files;
  }

  TempDir directory_;
  const std::string path_ = directory_.file("db");
};

// A posting set of a format that this program does not know would be marked as damaged by a merge,
// and the log is flushed by every open for writing.
TEST_F(RocksOpenTest, AStoreOfANewerFormatIsRefusedAndLeftAlone) {
  {
    const auto tables = Open();
    ASSERT_OK(tables);
    const Mutation rows[] = {
        {TableId::kSystem, Mutation::Kind::kSet, std::string(kStoreFormatKey), "31"},
        {TableId::kSeries, Mutation::Kind::kMerge, "p", "\x03one"},
        {TableId::kSeries, Mutation::Kind::kMerge, "p", "\x03two"}};
    ASSERT_OK((*tables)->Apply(rows, /*sync=*/true));
    ASSERT_OK((*tables)->Close());
  }
  const std::map<std::string, std::string> before = Files();

  EXPECT_THAT(Open().status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("store format 31: this program reads 1, 2, 4, 7, 8 and 30"),
                             HasSubstr("use that version or a later one"))));
  EXPECT_EQ(Files(), before);
}

TEST_F(RocksOpenTest, AnUnknownTableIsOfANewerVersion) {
  {
    rocksdb::Options options;
    options.create_if_missing = true;
    rocksdb::DB* raw = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, path_, &raw).ok());
    const std::unique_ptr<rocksdb::DB> db(raw);
    rocksdb::ColumnFamilyHandle* family = nullptr;
    ASSERT_TRUE(db->CreateColumnFamily(rocksdb::ColumnFamilyOptions(), "rollup", &family).ok());
    ASSERT_TRUE(db->DestroyColumnFamilyHandle(family).ok());
  }

  EXPECT_THAT(
      Open().status(),
      StatusIs(
          absl::StatusCode::kFailedPrecondition,
          AllOf(HasSubstr("unknown column family rollup"),
                HasSubstr("this program reads meta, uid, series, data, annotation. A newer"))));
}

}  // namespace
}  // namespace hourcell::rocks_open_test
