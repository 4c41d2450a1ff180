#include "engine/bigtable/bigtable_opentsdb_tables.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/writer/system_rows.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/status_matchers.h"

namespace hourcell::bigtable_opentsdb_tables_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr OpenTsdbTable kData = OpenTsdbTable::kData;
constexpr OpenTsdbTable kUid = OpenTsdbTable::kUid;

class BigtableOpenTsdbTablesTest : public testing::Test {
 protected:
  std::unique_ptr<OpenTsdbTables> Open(size_t page_rows = 4096) {
    BigtableOptions options = QuickBigtableOptions(fake_);
    options.data_table = "tsdb";
    options.page_rows = page_rows;
    auto tables = OpenBigtableOpenTsdbTables(options, "tsdb-uid");
    EXPECT_OK(tables);
    return *std::move(tables);
  }

  FakeBigtable fake_;
};

TEST_F(BigtableOpenTsdbTablesTest, TablesAreMadeOnce) {
  EXPECT_THAT(Open()->Read(kData, ""), StatusIs(StatusCode::kNotFound));
  EXPECT_OK(Open()->CreateMissing());
  EXPECT_OK(Open()->CreateMissing());
  EXPECT_OK(Open()->Read(kData, ""));
  EXPECT_OK(Open()->Read(kUid, ""));
  EXPECT_EQ(Open()->name(), "project/instance/tsdb");
}

TEST_F(BigtableOpenTsdbTablesTest, OnlyTheNewestVersionOfOpenTsdbsColumnsIsRead) {
  fake_.MakeTable("tsdb", {"t", "h"});
  fake_.PutCell("tsdb", "row", {"t", "q"}, 1000, "old");
  fake_.PutCell("tsdb", "row", {"t", "q"}, 2000, "new");
  fake_.PutCell("tsdb", "row", {"h", "s"}, 3000, "=ours");
  fake_.PutCell("tsdb", "ours", {"h", "s"}, 3000, "=ours");

  const auto page = Open()->Read(kData, "");
  ASSERT_OK(page);
  ASSERT_THAT(page->rows, SizeIs(1));
  ASSERT_THAT(page->rows[0].columns, SizeIs(1));
  EXPECT_EQ(page->rows[0].columns[0].family, "t");
  EXPECT_EQ(page->rows[0].columns[0].value, "new");
  EXPECT_EQ(page->rows[0].columns[0].write_time_ms, 2);
}

TEST_F(BigtableOpenTsdbTablesTest, PagesAndKeysGoOnWhereTheyEnd) {
  fake_.MakeTable("tsdb-uid", {"id", "name"});
  for (const char* key : {"a", "b", "c", "d", "e"})
    fake_.PutCell("tsdb-uid", key, {"id", "tagk"}, 1000, key);
  const std::unique_ptr<OpenTsdbTables> tables = Open(/*page_rows=*/2);
  std::vector<std::string> keys;
  for (std::string begin;;) {
    const auto page = tables->Read(kUid, begin);
    ASSERT_OK(page);
    for (const OpenTsdbRow& row : page->rows)
      keys.push_back(row.key);
    if (page->is_complete) break;
    begin = page->next;
  }
  EXPECT_THAT(keys, ElementsAre("a", "b", "c", "d", "e"));

  const auto rows = tables->ReadKeys(kUid, {"a", "c", "d", "e", "none"});
  ASSERT_OK(rows);
  ASSERT_THAT(*rows, SizeIs(4));
  EXPECT_EQ(rows->back().key, "e");
  EXPECT_THAT(*tables->ReadKeys(kUid, {"none"}), IsEmpty());
}

TEST_F(BigtableOpenTsdbTablesTest, AWriteRemovesFirst) {
  fake_.MakeTable("tsdb", {"t", "h"});
  fake_.PutCell("tsdb", "row", {"t", "1"}, 1000, "a");
  fake_.PutCell("tsdb", "row", {"t", "2"}, 1000, "b");
  fake_.PutCell("tsdb", "row", {"h", "s"}, 1000, "=");
  ASSERT_OK(Open()->Write(
      kData, {{.key = "row",
               .removed = {{.family = "t", .qualifier = "1"}, {.family = "t", .qualifier = "2"}},
               .set = {{.family = "t", .qualifier = "2", .value = "c"}}}}));
  const FakeBigtable::Row row = fake_.TableOf("tsdb")["row"];
  ASSERT_EQ(row.size(), 2u);
  EXPECT_EQ(row.at({"t", "2"}).size(), 1u);
  EXPECT_EQ(row.at({"t", "2"}).begin()->second, "c");
}

TEST_F(BigtableOpenTsdbTablesTest, TheLastMarkCounts) {
  fake_.MakeTable("hourcell-system", {"h"});
  EXPECT_THAT(Open()->ReadMark(), IsOkAndHolds(AdoptionMark()));
  const AdoptionMark first = {.next = "b", .rows = 1, .points = 2};
  const AdoptionMark last = {.is_done = true, .rows = 3, .points = 4};
  ASSERT_OK(Open()->WriteMark(first));
  const std::unique_ptr<OpenTsdbTables> tables = Open();
  EXPECT_THAT(tables->ReadMark(), IsOkAndHolds(first));
  ASSERT_OK(tables->WriteMark(last));
  // The first write takes effect once more, late.
  fake_.PutCell("hourcell-system", "adoption", "a", 1000, EncodeAdoptionMark(first));
  EXPECT_THAT(Open()->ReadMark(), IsOkAndHolds(last));
}

}  // namespace
}  // namespace hourcell::bigtable_opentsdb_tables_test
