#include "engine/rocks/rocks_cursor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/table/table.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_cursor_test {
namespace {

std::string KeyAt(int i) {
  return fmt::format("key{:05}", i);
}

// table_store_test.cc has the moves of a cursor, for every kind of store.
TEST(RocksCursorTest, OneThatMetDamageStaysThere) {
  constexpr int kRows = 2000;
  const TempDir dir;
  const Options options = TinyOptions(dir.path());
  {
    const auto tables = OpenRocksTableStore(dir.file("db"), options);
    ASSERT_OK(tables);
    Random random(1);
    for (int i = 0; i < kRows; ++i) {
      const Mutation set{TableId::kUid, Mutation::Kind::kSet, KeyAt(i),
                         fmt::format("{:016x}{:016x}", random.Next(), random.Next())};
      ASSERT_OK((*tables)->Apply({&set, 1}, /*sync=*/false));
    }
    ASSERT_OK((*tables)->Compact(TableId::kUid));
    ASSERT_OK((*tables)->Close());
  }
  for (const std::string& name : FilesIn(dir.file("db"))) {
    const std::string path = dir.file("db/" + name);
    if (name.ends_with(".sst") && ReadFile(path).size() > 30'000) Damage(path, 20'000);
  }

  const auto tables = OpenRocksTableStore(dir.file("db"), options);
  ASSERT_OK(tables);
  const std::unique_ptr<TableView> view = (*tables)->Snapshot();
  const std::unique_ptr<RowCursor> cursor = view->NewCursor(TableId::kUid, {});
  int rows = 0;
  for (cursor->Seek(""); cursor->valid(); cursor->Next())
    ++rows;
  EXPECT_GT(rows, 0);
  EXPECT_LT(rows, kRows);
  EXPECT_THAT(cursor->status(), StatusIs(absl::StatusCode::kDataLoss));

  cursor->Seek(KeyAt(kRows - 1));
  EXPECT_FALSE(cursor->valid());
  EXPECT_THAT(cursor->status(), StatusIs(absl::StatusCode::kDataLoss));
  cursor->SeekToLast();
  EXPECT_FALSE(cursor->valid());
  EXPECT_THAT(cursor->status(), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(RocksCursorTest, EachRegionCountsTheRowsThatAreReadOfIt) {
  const TempDir dir;
  const auto tables = OpenRocksTableStore(dir.file("db"), TinyOptions(dir.path()));
  ASSERT_OK(tables);
  ASSERT_OK((*tables)->regions()->Presplit(TableId::kData, {.keys = {KeyAt(30)}}));
  for (int i = 0; i < 100; ++i) {
    const Mutation set{TableId::kData, Mutation::Kind::kSet, KeyAt(i), "value"};
    ASSERT_OK((*tables)->Apply({&set, 1}, /*sync=*/false));
  }
  const auto counts = [&] {
    std::vector<uint64_t> rows;
    const auto uses = (*tables)->RegionUses(TableId::kData);
    for (const RegionUse& use : *uses)
      rows.push_back(use.rows_read);
    return rows;
  };
  const std::unique_ptr<TableView> view = (*tables)->Snapshot();
  {
    const std::unique_ptr<RowCursor> cursor = view->NewCursor(TableId::kData, {});
    for (cursor->Seek(""); cursor->valid(); cursor->Next())
      continue;
  }
  EXPECT_EQ(counts(), (std::vector<uint64_t>{30, 70}));

  std::vector<std::optional<std::string>> values;
  ASSERT_OK(view->GetMany(TableId::kData, std::vector{KeyAt(1), KeyAt(2), KeyAt(99)}, &values));
  EXPECT_EQ(counts(), (std::vector<uint64_t>{32, 71}));
}

}  // namespace
}  // namespace hourcell::rocks_cursor_test
