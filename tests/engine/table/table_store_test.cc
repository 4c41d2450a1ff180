// The conformance suite on RocksDB and in memory, and further properties of RocksDB's store.

#include "engine/table/table_store.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "engine/rocks/rocks_merge.h"
#include "engine/rocks/rocks_table_store.h"
#include "tests/engine/table/conformance/conformance.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

class RocksEngine : public TestedEngine {
 public:
  absl::StatusOr<std::unique_ptr<TableStore>> Open() override {
    return OpenRocksTableStore(directory_.file("db"), TinyOptions(directory_.path()));
  }

 private:
  TempDir directory_;
};

class MemoryEngine : public TestedEngine {
 public:
  absl::StatusOr<std::unique_ptr<TableStore>> Open() override {
    return std::make_unique<MemTableStore>();
  }
};

INSTANTIATE_TEST_SUITE_P(
    Engines,
    TableStoreTest,
    testing::Values(EngineCase{"Rocks", [] { return std::make_unique<RocksEngine>(); }},
                    EngineCase{"Memory", [] { return std::make_unique<MemoryEngine>(); }}),
    NameOfEngine);

}  // namespace
}  // namespace hourcell

namespace hourcell::table_store_test {
namespace {

using testing::Optional;

TEST(RocksTableStoreTest, RefusesAStrangersDatabase) {
  TempDir directory;
  Options options = TinyOptions(directory.path());
  options.create_if_missing = false;

  EXPECT_THAT(OpenRocksTableStore(directory.file("db"), options),
              StatusIs(absl::StatusCode::kNotFound));
}

// Takes a column family out of a database, as if it had never been there.
void DropFamily(const std::string& path, const std::string& name) {
  std::vector<std::string> names;
  ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, path, &names).ok());
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& each : names) {
    rocksdb::ColumnFamilyOptions family;
    if (each == "series") family.merge_operator = NewMergeOperator(TableMerge::kPostings);
    if (each == "data.1") family.merge_operator = NewMergeOperator(TableMerge::kCells);
    descriptors.emplace_back(each, family);
  }
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::DB* raw = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open({}, path, descriptors, &families, &raw).ok());
  const std::unique_ptr<rocksdb::DB> db(raw);
  for (rocksdb::ColumnFamilyHandle* const family : families) {
    if (family->GetName() == name) {
      EXPECT_TRUE(db->DropColumnFamily(family).ok());
    }
    EXPECT_TRUE(db->DestroyColumnFamilyHandle(family).ok());
  }
}

TEST(RocksTableStoreTest, AStoreFromBeforeThereWereAnnotationsGetsTheirTable) {
  TempDir directory;
  const Options options = TinyOptions(directory.path());
  const Mutation name{TableId::kUid, Mutation::Kind::kSet, "a", "1"};
  {
    const auto store = OpenRocksTableStore(directory.file("db"), options);
    ASSERT_OK(store);
    ASSERT_OK((*store)->Apply({&name, 1}, /*sync=*/false));
  }
  DropFamily(directory.file("db"), "annotation.1");

  const auto store = OpenRocksTableStore(directory.file("db"), options);
  ASSERT_OK(store);
  const Mutation row{TableId::kAnnotation, Mutation::Kind::kSet, "k", "v"};
  ASSERT_OK((*store)->Apply({&row, 1}, /*sync=*/false));
  EXPECT_THAT((*store)->Snapshot()->Get(TableId::kAnnotation, "k"),
              IsOkAndHolds(Optional(std::string("v"))));
  EXPECT_THAT((*store)->Snapshot()->Get(TableId::kUid, "a"),
              IsOkAndHolds(Optional(std::string("1"))));
}

}  // namespace
}  // namespace hourcell::table_store_test
