// TableModel: splits and merges.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/simulate/model/model_table.h"

namespace hourcell::table_model_splits_test {
namespace {

using testing::HasSubstr;

std::vector<Incident> SplitsOf(const TableModel& table) {
  std::vector<Incident> splits;
  for (const Incident& incident : table.timeline().incidents()) {
    if (incident.kind == IncidentKind::kSplit) splits.push_back(incident);
  }
  return splits;
}

TEST(TableModelSplitsTest, RandomKeysSplitInHalves) {
  ModelSettings settings = SmallSettings();
  settings.regions.normalizer.is_enabled = false;
  const auto table = MakeTable(settings);
  Pour(table.get(), {.puts = 3'000});
  table->AdvanceTo(table->now_ms() + 60'000);

  const auto splits = SplitsOf(*table);
  ASSERT_GT(splits.size(), 10U);
  for (const Incident& split : splits) {
    EXPECT_GE(split.left_share, 0.4) << split.key;
    EXPECT_LE(split.left_share, 0.6) << split.key;
    EXPECT_EQ(split.cause, SplitCause::kSize);
  }
  // 2 F R^3, then the maximum.
  EXPECT_GT(splits[0].bytes, 2'000U);
  EXPECT_LE(splits[0].bytes, 3'000U);
  EXPECT_GT(splits[1].bytes, 10'000U);
  for (const auto& region : table->regions())
    EXPECT_LE(region->store.file_bytes(), 12'000U);
}

TEST(TableModelSplitsTest, AscendingKeysLeaveHalfFullRegionsUnlessAppendsAreSeen) {
  ModelSettings settings = SmallSettings();
  settings.regions.split.policy = SplitPolicyKind::kConstantSize;
  settings.regions.normalizer.is_enabled = false;
  const auto halves = MakeTable(settings);
  Pour(halves.get(), {.puts = 5'000, .ascending = true});
  settings.regions.split.append.is_enabled = true;
  const auto appends = MakeTable(settings);
  Pour(appends.get(), {.puts = 5'000, .ascending = true});

  for (const Incident& split : SplitsOf(*halves))
    EXPECT_NEAR(split.left_share, 0.5, 0.1);
  for (const Incident& split : SplitsOf(*appends))
    EXPECT_EQ(split.left_share, 1.0);
  EXPECT_GT(halves->regions().size(), appends->regions().size() * 3 / 2);
}

// Bins across a cut end at it, where no key need be: that is not the largest key, above which no
// row will ever come.
TEST(TableModelSplitsTest, AppendsBelowACutAreSeen) {
  ModelSettings settings = SmallSettings();
  settings.bins_max = 2;
  settings.regions.split.policy = SplitPolicyKind::kKeyPrefix;
  settings.regions.split.policy_prefix_length = 1;
  settings.regions.split.append.is_enabled = true;
  settings.regions.normalizer.is_enabled = false;
  const auto table = MakeTable(settings);
  for (uint64_t i = 0; i < 70; ++i) {
    for (const uint64_t metric : {1U, 5U})
      table->Put({.key = KeyText(10'000'000 * metric + i), .now_ms = i, .puts = 1, .rows = 1});
  }

  ASSERT_EQ(table->regions().size(), 2U);
  EXPECT_EQ(table->regions()[1]->info.range.start, "5");
  EXPECT_EQ(table->regions()[0]->append.share(), 1.0);
  EXPECT_EQ(table->regions()[1]->append.share(), 1.0);
}

TEST(TableModelSplitsTest, OneRowIsUnsplittable) {
  ModelSettings settings = SmallSettings();
  settings.regions.split.policy = SplitPolicyKind::kConstantSize;
  settings.regions.normalizer.is_enabled = false;
  const auto table = MakeTable(settings);
  for (uint64_t i = 0; i < 1'000; ++i)
    table->Put({.key = "one-row!", .now_ms = i, .puts = 1, .rows = 1});
  table->AdvanceTo(60'000);

  EXPECT_EQ(table->regions().size(), 1U);
  EXPECT_TRUE(table->regions()[0]->is_unsplittable);
  ASSERT_EQ(table->timeline().count(IncidentKind::kUnsplittable), 1U);
  const Incident& incident = table->timeline().incidents()[0];
  EXPECT_EQ(incident.key, "one-row!");
  EXPECT_EQ(incident.left_share, 1.0);
  EXPECT_FALSE(incident.reason.empty());
}

TEST(TableModelSplitsTest, PrefixGroupsAreNotCut) {
  ModelSettings settings = SmallSettings();
  settings.regions.split.policy = SplitPolicyKind::kKeyPrefix;
  settings.regions.split.policy_prefix_length = 1;
  settings.regions.normalizer.is_enabled = false;
  const auto table = MakeTable(settings);
  Pour(table.get(), {.puts = 10'000});
  table->AdvanceTo(table->now_ms() + 60'000);

  EXPECT_EQ(table->regions().size(), 10U);
  for (const auto& region : table->regions())
    EXPECT_LE(region->info.range.start.size(), 1U);
  EXPECT_GE(table->timeline().count(IncidentKind::kUnsplittable), 9U);
}

TEST(TableModelSplitsTest, LoadSplitsWhereThePutsGo) {
  ModelSettings settings = SmallSettings();
  settings.regions.split.policy = SplitPolicyKind::kLoad;
  settings.regions.split.max_bytes = 1'000'000'000;
  settings.regions.split.initial_bytes = 1'000'000'000;
  settings.regions.split.load.requests_per_s_min = 500;
  settings.regions.normalizer.is_enabled = false;
  settings.disk_bytes_per_s = 1'000'000'000;
  const auto table = MakeTable(settings);
  // A thousand a second, half of them below "1", spread over hundreds of keys.
  Random random(5);
  for (uint64_t i = 0; i < 60'000; ++i) {
    const uint64_t number =
        random.Below(2) == 0 ? random.Below(1'000'000) : 90'000'000 + random.Below(1'000'000);
    table->Put({.key = KeyText(number), .now_ms = i, .point_ms = i, .puts = 1, .rows = 1});
  }

  const auto splits = SplitsOf(*table);
  ASSERT_GE(splits.size(), 1U);
  EXPECT_EQ(splits[0].cause, SplitCause::kLoad);
  EXPECT_GT(table->regions()[1]->load_split_ms, 0U);
}

TEST(TableModelSplitsTest, BusyRegionsSplit) {
  ModelSettings settings = SmallSettings();
  settings.regions.split.policy = SplitPolicyKind::kBusy;
  settings.regions.split.initial_bytes = 1'000'000'000;
  settings.regions.split.max_bytes = 1'000'000'000;
  settings.regions.split.busy = {
      .blocked_share_min = 0.2, .age_ms_min = 20'000, .window_ms = 10'000};
  settings.regions.normalizer.is_enabled = false;
  settings.disk_bytes_per_s = 50'000;
  settings.block_multiplier = 2;
  const auto table = MakeTable(settings);
  Pour(table.get(), {.puts = 60'000});

  EXPECT_GT(table->totals().blocked, 0U);
  const auto splits = SplitsOf(*table);
  ASSERT_GE(splits.size(), 1U);
  EXPECT_EQ(splits[0].cause, SplitCause::kBusy);
  EXPECT_GE(splits[0].time_ms, 20'000U);
}

TEST(TableModelSplitsTest, TheNormaliserMergesWhatATtlLeaves) {
  ModelSettings settings = SmallSettings();
  settings.regions.split.policy = SplitPolicyKind::kConstantSize;
  settings.regions.split.append.is_enabled = true;
  settings.ttl_ms = 2'000;
  settings.regions.normalizer.period_ms = 1'000;
  settings.regions.normalizer.merge_age_ms_min = 1'000;
  const auto with = MakeTable(settings);
  Pour(with.get(), {.puts = 20'000, .ascending = true});
  with->AdvanceTo(300'000);
  settings.regions.normalizer.is_enabled = false;
  const auto without = MakeTable(settings);
  Pour(without.get(), {.puts = 20'000, .ascending = true});
  without->AdvanceTo(300'000);

  EXPECT_GT(with->timeline().count(IncidentKind::kMerge), 0U);
  EXPECT_GT(without->regions().size(), 50U);
  EXPECT_LT(with->regions().size(), 5U);
  uint64_t puts = 0;
  for (const auto& region : with->regions())
    puts += region->puts;
  EXPECT_EQ(puts, 20'000U);
}

TEST(TableModelSplitsTest, ReferencesAreRewrittenBeforeTheNextSplit) {
  ModelSettings settings = SmallSettings();
  settings.regions.split.allow_nested_references = false;
  settings.regions.normalizer.is_enabled = false;
  settings.disk_bytes_per_s = 200'000;
  const auto table = MakeTable(settings);
  Pour(table.get(), {.puts = 3'000});
  table->AdvanceTo(table->now_ms() + 600'000);

  for (const auto& region : table->regions())
    EXPECT_FALSE(region->store.has_references());
  EXPECT_GT(table->totals().rewrites, table->timeline().count(IncidentKind::kSplit));
}

}  // namespace
}  // namespace hourcell::table_model_splits_test
