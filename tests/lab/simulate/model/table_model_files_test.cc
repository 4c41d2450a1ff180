// TableModel: memory to files, and files to fewer files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/simulate/model/model_table.h"

namespace hourcell::table_model_files_test {
namespace {

ModelSettings NoSplits() {
  ModelSettings settings = SmallSettings();
  settings.regions.split.policy = SplitPolicyKind::kDisabled;
  settings.regions.normalizer.is_enabled = false;
  return settings;
}

TEST(TableModelFilesTest, AFlushComesAtTheFlushSize) {
  const auto table = MakeTable(NoSplits());
  Pour(table.get(), {.puts = 9});
  table->AdvanceTo(1'000);
  EXPECT_EQ(table->totals().flushes, 0U);

  Pour(table.get(), {.puts = 1});
  table->AdvanceTo(2'000);

  EXPECT_EQ(table->totals().flushes, 1U);
  EXPECT_EQ(table->totals().flushed_bytes, 1'000U);
  EXPECT_EQ(table->regions()[0]->store.file_bytes(), 1'000U);
  EXPECT_EQ(table->regions()[0]->store.memory_bytes(), 0U);
}

TEST(TableModelFilesTest, ShortMemoryFlushesTheLargest) {
  ModelSettings settings = NoSplits();
  settings.memory_bytes = 2'000;
  settings.memstore_share = 1;
  settings.memstore_lower_share = 0.5;
  const auto table = MakeTable(settings, {"3", "6"});
  for (uint64_t i = 0; i < 4; ++i)
    table->Put({.key = "1" + KeyText(i), .now_ms = i, .puts = 1, .rows = 1});
  for (uint64_t i = 0; i < 5; ++i)
    table->Put({.key = "4" + KeyText(i), .now_ms = 10 + i, .puts = 1, .rows = 1});
  table->Put({.key = "7", .now_ms = 20, .puts = 2, .rows = 1});
  table->AdvanceTo(1'000);

  EXPECT_EQ(table->totals().flushes, 1U);
  EXPECT_EQ(table->regions()[1]->flushes, 1U);
}

TEST(TableModelFilesTest, RegionsThatFlushTogetherDoSoWhenOneIsFull) {
  auto table =
      TableModel::Make({.settings = NoSplits(), .split_keys = {"5"}, .flushes_together = true});
  ASSERT_TRUE(table.ok());
  (*table)->Put({.key = "9", .now_ms = 1, .puts = 1, .rows = 1});
  for (uint64_t i = 0; i < 10; ++i)
    (*table)->Put({.key = KeyText(i), .now_ms = 2, .puts = 1, .rows = 1});
  EXPECT_EQ((*table)->totals().flushes, 2U);

  (*table)->Put({.key = "9", .now_ms = 3, .puts = 1, .rows = 1});
  (*table)->Finish();
  EXPECT_EQ((*table)->regions()[1]->store.memory_bytes(), 0U);
}

TEST(TableModelFilesTest, FilesAreRewrittenByTheRatio) {
  const auto table = MakeTable(NoSplits());
  Pour(table.get(), {.puts = 20});
  table->AdvanceTo(table->now_ms() + 60'000);
  EXPECT_EQ(table->regions()[0]->store.files(), 2U);
  EXPECT_EQ(table->totals().rewrites, 0U);

  Pour(table.get(), {.puts = 10});
  table->AdvanceTo(table->now_ms() + 60'000);

  EXPECT_EQ(table->regions()[0]->store.files(), 1U);
  EXPECT_EQ(table->totals().rewrites, 1U);
  EXPECT_EQ(table->totals().rewritten_bytes, 3'000U);
}

TEST(TableModelFilesTest, AMajorLsmCompactionComesInItsTime) {
  ModelSettings settings = NoSplits();
  settings.major_ms = 1'000'000;
  settings.major_jitter = 0.5;
  const auto table = MakeTable(settings);
  Pour(table.get(), {.puts = 20});

  table->AdvanceTo(499'000);
  EXPECT_EQ(table->totals().rewrites, 0U);
  table->AdvanceTo(1'501'000);

  EXPECT_GE(table->totals().rewrites, 1U);
  EXPECT_EQ(table->regions()[0]->store.files(), 1U);
}

TEST(TableModelFilesTest, TooManyFilesPutOffAFlush) {
  ModelSettings settings = NoSplits();
  settings.regions.split.blocking_files = 2;
  settings.lsm_compaction.files_min = 10;  // so that none is ever rewritten
  settings.blocking_wait_ms = 90'000;
  const auto table = MakeTable(settings);
  Pour(table.get(), {.puts = 20});
  table->AdvanceTo(1'000);
  ASSERT_EQ(table->totals().flushes, 2U);

  Pour(table.get(), {.puts = 10});
  table->AdvanceTo(90'000);
  EXPECT_EQ(table->totals().flushes, 2U);
  table->AdvanceTo(92'000);

  EXPECT_EQ(table->totals().flushes, 3U);
}

TEST(TableModelFilesTest, WhatIsOlderThanTheTtlVanishes) {
  ModelSettings settings = NoSplits();
  settings.ttl_ms = 600'000;
  const auto table = MakeTable(settings);
  Pour(table.get(), {.puts = 30});
  table->AdvanceTo(500'000);
  EXPECT_EQ(table->totals().expired.cells, 0U);

  table->AdvanceTo(700'000);

  EXPECT_EQ(table->totals().expired.cells, 30U);
  EXPECT_EQ(table->regions()[0]->store.file_bytes(), 0U);
  EXPECT_EQ(table->regions()[0]->puts, 30U);
}

}  // namespace
}  // namespace hourcell::table_model_files_test
