#include "engine/rocks/regions/rocks_region_filter.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "codec/cells/cell.h"
#include "engine/rocks/rocks_merge.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_region_filter_test {
namespace {

using testing::ElementsAre;

// A database of one family with cells at some keys, set and merged.
class RegionFilterTest : public testing::Test {
 protected:
  RegionFilterTest() {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.merge_operator = NewMergeOperator(TableMerge::kCells);
    AddRegionFilter(bounds_, &options);
    rocksdb::DB* db = nullptr;
    EXPECT_TRUE(rocksdb::DB::Open(options, directory_.file("db"), &db).ok());
    db_.reset(db);
    std::string cell;
    AppendPointCell(0, /*is_ms=*/false, Value::Integer(1), &cell);
    for (const char* const key : {"a", "b", "c", "d", "e"}) {
      EXPECT_TRUE(db_->Put({}, key, cell).ok());
      EXPECT_TRUE(db_->Merge({}, std::string(key) + "m", cell).ok());
    }
    EXPECT_TRUE(db_->Flush({}).ok());
  }

  std::vector<std::string> KeysAfterARewrite() {
    // With a filter, files of the lowest level are rewritten too.
    EXPECT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
    std::vector<std::string> keys;
    const std::unique_ptr<rocksdb::Iterator> row(db_->NewIterator({}));
    for (row->SeekToFirst(); row->Valid(); row->Next())
      keys.push_back(row->key().ToString());
    return keys;
  }

  TempDir directory_;
  std::shared_ptr<RegionBounds> bounds_ = std::make_shared<RegionBounds>();
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(RegionFilterTest, KeepsAllWithoutBounds) {
  EXPECT_EQ(KeysAfterARewrite().size(), 10u);
}

TEST_F(RegionFilterTest, LeavesOutWhatIsOutsideOfTheRange) {
  bounds_->Set({.start = "b", .end = "d"});
  EXPECT_THAT(KeysAfterARewrite(), ElementsAre("b", "bm", "c", "cm"));
  bounds_->Set({.start = "c", .end = ""});
  EXPECT_THAT(KeysAfterARewrite(), ElementsAre("c", "cm"));
}

}  // namespace
}  // namespace hourcell::rocks_region_filter_test
