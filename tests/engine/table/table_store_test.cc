// What every TableStore must do: one body over both implementations.

#include "engine/table/table_store.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "engine/rocks/rocks_merge.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/series_key.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/region_trim.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::table_store_test {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

enum class Engine { kRocks, kMemory };

class TableStoreTest : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override { Reopen(); }

  void Reopen() {
    if (GetParam() == Engine::kMemory) {
      if (store_ == nullptr) store_ = std::make_unique<MemTableStore>();
      return;
    }
    store_.reset();
    auto opened = OpenRocksTableStore(directory_.file("db"), TinyOptions(directory_.path()));
    ASSERT_OK(opened);
    store_ = *std::move(opened);
  }

  absl::Status Set(TableId table, const std::string& key, const std::string& value) {
    const Mutation mutation{table, Mutation::Kind::kSet, key, value};
    return store_->Apply({&mutation, 1}, /*sync=*/false);
  }

  std::vector<std::pair<std::string, std::string>> Scan(TableId table, const ScanRange& range) {
    std::vector<std::pair<std::string, std::string>> rows;
    const absl::Status status =
        store_->Snapshot()->Scan(table, range, [&](std::string_view key, std::string_view value) {
          rows.emplace_back(key, value);
          return true;
        });
    EXPECT_OK(status);
    return rows;
  }

  TempDir directory_;
  std::unique_ptr<TableStore> store_;
};

std::string PointCell(uint32_t offset_s, int64_t value) {
  std::string cell;
  AppendPointCell(offset_s * 1000, /*is_ms=*/false, Value::Integer(value), &cell);
  return cell;
}

TEST_P(TableStoreTest, ReadsWhatWasSet) {
  ASSERT_OK(Set(TableId::kUid, "a", "1"));

  EXPECT_THAT(store_->Snapshot()->Get(TableId::kUid, "a"),
              IsOkAndHolds(Optional(std::string("1"))));
  EXPECT_THAT(store_->Snapshot()->Get(TableId::kUid, "b"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(store_->Snapshot()->Get(TableId::kMeta, "a"), IsOkAndHolds(std::nullopt));
}

TEST_P(TableStoreTest, ScansARangeInByteOrder) {
  for (const char* const key : {"b", "\xff", "a", "ab", "c"})
    ASSERT_OK(Set(TableId::kUid, key, "x"));

  EXPECT_THAT(Scan(TableId::kUid, {.begin = "a", .end = "c"}),
              ElementsAre(Pair("a", "x"), Pair("ab", "x"), Pair("b", "x")));
  EXPECT_THAT(Scan(TableId::kUid, {.begin = "c", .end = ""}),
              ElementsAre(Pair("c", "x"), Pair("\xff", "x")));
}

TEST_P(TableStoreTest, StopsAScanWhenToldTo) {
  ASSERT_OK(Set(TableId::kUid, "a", "1"));
  ASSERT_OK(Set(TableId::kUid, "b", "2"));

  int visited = 0;
  ASSERT_OK(store_->Snapshot()->Scan(TableId::kUid, {}, [&](std::string_view, std::string_view) {
    ++visited;
    return false;
  }));

  EXPECT_EQ(visited, 1);
}

TEST_P(TableStoreTest, GetManyKeepsTheOrderOfTheKeys) {
  ASSERT_OK(Set(TableId::kUid, "a", "1"));
  ASSERT_OK(Set(TableId::kUid, "c", "3"));

  std::vector<std::optional<std::string>> values;
  const std::string keys[] = {"c", "b", "a"};
  ASSERT_OK(store_->Snapshot()->GetMany(TableId::kUid, keys, &values));

  EXPECT_THAT(values,
              ElementsAre(Optional(std::string("3")), std::nullopt, Optional(std::string("1"))));
}

std::vector<std::string> StartsOf(const std::vector<RegionInfo>& regions) {
  std::vector<std::string> starts;
  for (const RegionInfo& region : regions)
    starts.push_back(region.range.start);
  return starts;
}

TEST_P(TableStoreTest, ATableIsOneRegionUntilItIsCut) {
  for (const TableId table : kTableIds) {
    const std::vector<RegionInfo> regions = store_->Regions(table);
    ASSERT_EQ(regions.size(), 1u);
    EXPECT_EQ(regions[0].range, RegionRange());
    EXPECT_EQ(regions[0].table, TableName(table));
    EXPECT_EQ(regions[0].state, RegionState::kOpen);
  }
}

TEST_P(TableStoreTest, OnlyAnEmptyTableIsPresplit) {
  const std::vector<std::string> keys = {"b", "c"};
  EXPECT_THAT(store_->Presplit(TableId::kMeta, {.keys = keys}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  const std::vector<std::string> none_or_not_ascending[] = {{""}, {"b", "b"}, {"c", "b"}};
  for (const auto& wrong : none_or_not_ascending) {
    EXPECT_THAT(store_->Presplit(TableId::kData, {.keys = wrong}),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
  ASSERT_OK(Set(TableId::kData, "a", "1"));
  EXPECT_THAT(store_->Presplit(TableId::kData, {.keys = keys}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  const Mutation remove{TableId::kData, Mutation::Kind::kDelete, "a", ""};
  ASSERT_OK(store_->Apply({&remove, 1}, false));

  ASSERT_OK(store_->Presplit(TableId::kData, {.keys = keys}));

  EXPECT_THAT(StartsOf(store_->Regions(TableId::kData)), ElementsAre("", "b", "c"));
  EXPECT_THAT(store_->Presplit(TableId::kData, {.keys = keys}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK(store_->Close());
  Reopen();
  if (GetParam() == Engine::kRocks) {
    EXPECT_THAT(StartsOf(store_->Regions(TableId::kData)), ElementsAre("", "b", "c"));
  }
}

TEST_P(TableStoreTest, RegionsReadAsOneTable) {
  ASSERT_OK(store_->Presplit(TableId::kData, {.keys = {"b", "d", "f"}}));
  for (const char* const key : {"a", "b", "bb", "c", "e", "ee", "g"})
    ASSERT_OK(Set(TableId::kData, key, key));
  ASSERT_OK(store_->Flush(TableId::kData));
  ASSERT_OK(Set(TableId::kData, "h", "h"));

  const std::unique_ptr<TableView> view = store_->Snapshot();
  std::vector<std::optional<std::string>> values;
  const std::string keys[] = {"h", "b", "d", "ee", "a"};
  ASSERT_OK(view->GetMany(TableId::kData, keys, &values));
  EXPECT_THAT(values,
              ElementsAre(Optional(std::string("h")), Optional(std::string("b")), std::nullopt,
                          Optional(std::string("ee")), Optional(std::string("a"))));
  std::vector<std::string> scanned;
  for (const auto& [key, value] : Scan(TableId::kData, {.begin = "b", .end = "g"}))
    scanned.push_back(key);
  EXPECT_THAT(scanned, ElementsAre("b", "bb", "c", "e", "ee"));

  const std::unique_ptr<RowCursor> row =
      view->NewCursor(TableId::kData, {.begin = "b", .end = "g"});
  const auto at = [&row] { return row->valid() ? std::string(row->key()) : std::string("none"); };
  row->Seek("a");
  EXPECT_EQ(at(), "b");
  row->Seek("ca");
  EXPECT_EQ(at(), "e");
  row->Next();
  EXPECT_EQ(at(), "ee");
  row->Next();
  EXPECT_EQ(at(), "none");
  row->Seek("z");
  EXPECT_EQ(at(), "none");
  row->SeekBefore("e");
  EXPECT_EQ(at(), "c");
  row->SeekBefore("b");
  EXPECT_EQ(at(), "none");
  row->SeekBefore("z");
  EXPECT_EQ(at(), "ee");
  row->SeekToLast();
  EXPECT_EQ(at(), "ee");
  EXPECT_OK(row->status());
}

TEST_P(TableStoreTest, ASplitKeepsEveryRowAndEveryView) {
  for (int i = 0; i < 1000; ++i)
    ASSERT_OK(Set(TableId::kData, fmt::format("k{:03}", i), "old"));
  ASSERT_OK(store_->Flush(TableId::kData));
  for (int i = 0; i < 1000; i += 3)
    ASSERT_OK(Set(TableId::kData, fmt::format("k{:03}", i), "new"));
  std::unique_ptr<TableView> before = store_->Snapshot();
  const auto rows = Scan(TableId::kData, {});

  ASSERT_OK(store_->Split(TableId::kData, {.keys = {"k500"}}));
  ASSERT_OK(store_->Split(TableId::kData, {.keys = {"k250"}}));
  EXPECT_THAT(store_->Split(TableId::kData, {.keys = {"k250"}}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(StartsOf(store_->Regions(TableId::kData)), ElementsAre("", "k250", "k500"));
  EXPECT_EQ(Scan(TableId::kData, {}), rows);
  ASSERT_OK(Set(TableId::kData, "k100", "newest"));
  ASSERT_OK(Set(TableId::kData, "k900", "newest"));
  EXPECT_EQ(before->Get(TableId::kData, "k100").value(), "old");
  before.reset();

  ASSERT_OK(TrimAllRegions(store_.get(), TableId::kData));
  for (const RegionInfo& region : store_->Regions(TableId::kData))
    EXPECT_FALSE(region.has_references) << region.range.start;
  Reopen();
  const auto after = Scan(TableId::kData, {});
  ASSERT_EQ(after.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(after[i].first, rows[i].first);
    EXPECT_EQ(after[i].second, i == 100 || i == 900 ? "newest" : rows[i].second);
  }
}

TEST_P(TableStoreTest, AViewDoesNotSeeLaterWrites) {
  ASSERT_OK(Set(TableId::kUid, "a", "1"));
  const std::unique_ptr<TableView> view = store_->Snapshot();

  ASSERT_OK(Set(TableId::kUid, "a", "2"));

  EXPECT_THAT(view->Get(TableId::kUid, "a"), IsOkAndHolds(Optional(std::string("1"))));
}

TEST_P(TableStoreTest, AppliesTheMutationsOfARowInOrder) {
  const Mutation group[] = {{TableId::kUid, Mutation::Kind::kSet, "a", "1"},
                            {TableId::kUid, Mutation::Kind::kDelete, "a", ""},
                            {TableId::kUid, Mutation::Kind::kSet, "b", "1"},
                            {TableId::kUid, Mutation::Kind::kSet, "b", "2"}};
  ASSERT_OK(store_->Apply(group, /*sync=*/true));

  EXPECT_THAT(Scan(TableId::kUid, {}), ElementsAre(Pair("b", "2")));
}

TEST_P(TableStoreTest, MergesCellsOfARowLastWriteWins) {
  const Mutation group[] = {{TableId::kData, Mutation::Kind::kMerge, "row", PointCell(5, 50)},
                            {TableId::kData, Mutation::Kind::kMerge, "row", PointCell(1, 10)},
                            {TableId::kData, Mutation::Kind::kMerge, "row", PointCell(5, 51)}};
  ASSERT_OK(store_->Apply(group, /*sync=*/false));
  ASSERT_OK(store_->Flush(TableId::kData));

  const auto cell = store_->Snapshot()->Get(TableId::kData, "row");
  CellColumns columns;
  ASSERT_OK(cell);
  ASSERT_OK(DecodeCell(**cell, &columns));
  EXPECT_THAT(columns.offset_ms, ElementsAre(1000, 5000));
  EXPECT_THAT(columns.bits, ElementsAre(10, 51));
}

TEST_P(TableStoreTest, MergesPostingSetsAsAUnion) {
  for (const SeriesNumber number : std::initializer_list<SeriesNumber>{7, 3, 7, 9}) {
    const Mutation merge{TableId::kSeries, Mutation::Kind::kMerge, "p", PostingOfOne(number)};
    ASSERT_OK(store_->Apply({&merge, 1}, /*sync=*/false));
    ASSERT_OK(store_->Flush(TableId::kData));
  }

  const auto set = store_->Snapshot()->Get(TableId::kSeries, "p");
  std::vector<SeriesNumber> numbers;
  ASSERT_OK(set);
  ASSERT_OK(DecodePosting(**set, /*chunk=*/0, &numbers));
  EXPECT_THAT(numbers, ElementsAre(3, 7, 9));
}

TEST_P(TableStoreTest, RefusesWritesOnceClosed) {
  ASSERT_OK(store_->Close());

  EXPECT_THAT(Set(TableId::kUid, "a", "1"), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_P(TableStoreTest, KeepsEverythingAcrossAReopen) {
  ASSERT_OK(Set(TableId::kUid, "a", "1"));

  Reopen();

  EXPECT_THAT(Scan(TableId::kUid, {}), ElementsAre(Pair("a", "1")));
}

TEST_P(TableStoreTest, KnowsAboutHowManyBytesARangeHas) {
  const auto key = [](int i) { return fmt::format("k{:04}", i); };
  Random random(1);
  std::vector<Mutation> rows;
  for (int i = 0; i < 1000; ++i) {
    rows.push_back({TableId::kAnnotation, Mutation::Kind::kSet, key(i), ""});
    while (rows.back().value.size() < 1000)
      rows.back().value += static_cast<char>(random.Next());
  }
  ASSERT_OK(store_->Apply(rows, /*sync=*/false));
  ASSERT_OK(store_->Split(TableId::kAnnotation, {.keys = {key(300)}}));
  ASSERT_OK(store_->Flush(TableId::kAnnotation));
  const auto bytes = [&](const std::string& begin, const std::string& end) {
    return static_cast<double>(
        *store_->ApproximateBytes(TableId::kAnnotation, {.begin = begin, .end = end}));
  };

  EXPECT_NEAR(bytes("", ""), 1e6, 2e5);
  EXPECT_NEAR(bytes(key(250), key(750)), 5e5, 1e5);  // of both regions
  EXPECT_NEAR(bytes(key(0), key(300)) + bytes(key(300), ""), bytes("", ""), 2e5);
  EXPECT_EQ(bytes("l", ""), 0);
  EXPECT_EQ(bytes("a", "b"), 0);
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         TableStoreTest,
                         testing::Values(Engine::kRocks, Engine::kMemory),
                         [](const auto& param_info) {
                           return param_info.param == Engine::kRocks ? "Rocks" : "Memory";
                         });

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
    if (each == "series") family.merge_operator = NewPostingMergeOperator();
    if (each == "data.1") family.merge_operator = NewRowMergeOperator();
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
