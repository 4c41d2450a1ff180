// Each table by its spec: these tests loop over all specs: a new table is tested without a change
// here, except for its frozen name.

#include "engine/table/table_spec.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "engine/options.h"
#include "engine/regions/region_info.h"
#include "engine/rocks/rocks_merge.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/merge_operands.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::table_spec_test {
namespace {

using testing::Optional;

// A value of a table with cells or postings, or of any other.
std::string OperandOf(const TableSpec& table) {
  if (table.merge == TableMerge::kCells) return {"\1\0\0\5", 4};   // one point of one byte
  if (table.merge == TableMerge::kPostings) return {"\1\0\1", 3};  // a set of one
  return "value";
}

TEST(TableSpecTest, NamesAreFrozen) {
  std::vector<std::string_view> names;
  for (const TableSpec& table : kTableSpecs)
    names.push_back(table.name);

  // Column families, and Bigtable's tables after the prefix. Never change one; append new ones.
  EXPECT_THAT(names, testing::ElementsAre("meta", "uid", "series", "data", "annotation"));
}

TEST(TableSpecTest, EachTableHasItsRowAndAName) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < std::size(kTableSpecs); ++i) {
    const TableSpec& table = kTableSpecs[i];
    EXPECT_EQ(static_cast<size_t>(table.id), i) << table.name;
    EXPECT_EQ(kTableIds[i], table.id);
    EXPECT_EQ(TableName(table.id), table.name);
    EXPECT_TRUE(names.insert(table.name).second) << table.name;
    EXPECT_TRUE(std::ranges::all_of(table.name, [](char c) { return c >= 'a' && c <= 'z'; }))
        << table.name << ": a dot begins a region's id, a hyphen ends Bigtable's prefix";
  }
  // Bigtable has these besides.
  EXPECT_FALSE(names.contains("journal"));
  EXPECT_FALSE(names.contains("system"));
}

TEST(TableSpecTest, PropertiesAgree) {
  for (const TableSpec& table : kTableSpecs) {
    SCOPED_TRACE(table.name);
    // The TTL of a row's metric needs the metric and the time in its key.
    if (table.expiry == TableExpiry::kOfMetric) {
      EXPECT_TRUE(table.row_span.is_by_time());
    }
    // Region policies read row keys.
    if (table.regions == TableRegions::kAutomatic) {
      EXPECT_TRUE(table.row_span.is_by_time());
    }
    // A replay repeats writes, so their order must not matter.
    if (table.writes == TableWrites::kJournaled) {
      EXPECT_TRUE(table.merges());
      EXPECT_EQ(table.group_order, GroupOrder::kAny);
    }
    EXPECT_EQ(NewMergeOperator(table.merge) != nullptr, table.merges());
  }
}

TEST(TableSpecTest, EachTableKeepsItsRowsOnRocksAndMergesThemByItsSpec) {
  TempDir directory;
  const Options options = TinyOptions(directory.path());
  {
    const auto store = OpenRocksTableStore(directory.file("db"), options);
    ASSERT_OK(store);
    for (const TableSpec& table : kTableSpecs) {
      SCOPED_TRACE(table.name);
      const Mutation set{table.id, Mutation::Kind::kSet, "k", OperandOf(table)};
      ASSERT_OK((*store)->Apply({&set, 1}, /*sync=*/false));
      if (!table.merges()) continue;
      const Mutation merge{table.id, Mutation::Kind::kMerge, "k", OperandOf(table)};
      ASSERT_OK((*store)->Apply({&merge, 1}, /*sync=*/false));
    }
    ASSERT_OK((*store)->Close());
  }
  std::vector<std::string> families;
  ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, directory.file("db"), &families).ok());
  const auto store = OpenRocksTableStore(directory.file("db"), options);
  ASSERT_OK(store);

  for (const TableSpec& table : kTableSpecs) {
    SCOPED_TRACE(table.name);
    EXPECT_THAT(families, testing::Contains(table.has_regions() ? fmt::format("{}.1", table.name)
                                                                : std::string(table.name)));
    const std::string operand = OperandOf(table);
    const std::string_view both[] = {operand, operand};
    EXPECT_THAT((*store)->Snapshot()->Get(table.id, "k"),
                IsOkAndHolds(Optional(table.merges() ? MergedOperands(table.id, both) : operand)));
  }
  EXPECT_EQ(families.size(), std::size(kTableSpecs) + 1) << "and the default family";
}

TEST(TableSpecTest, OnlyTablesWithRegionsAreSplit) {
  MemTableStore store;
  for (const TableSpec& table : kTableSpecs) {
    const absl::Status cut = store.Presplit(table.id, {.keys = {"m"}});
    EXPECT_EQ(cut.ok(), table.has_regions()) << table.name << ": " << cut;
    EXPECT_EQ(store.Regions(table.id).size(), table.has_regions() ? 2u : 1u) << table.name;
  }
}

}  // namespace
}  // namespace hourcell::table_spec_test
