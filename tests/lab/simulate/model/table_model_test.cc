#include "bench/lab/simulate/model/table_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/simulate/model/model_table.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"

namespace hourcell::table_model_test {
namespace {

TEST(TableModelTest, PutsGoToTheRegionOfTheirKey) {
  const auto table = MakeTable(SmallSettings(), {"g", "p"});
  table->Put({.key = "a", .now_ms = 10, .puts = 3});
  table->Put({.key = "g", .now_ms = 20, .puts = 4});
  table->Put({.key = "zz", .now_ms = 30, .puts = 5});
  table->Put({.key = "o", .now_ms = 30, .puts = 1});

  EXPECT_EQ(PutsOf(*table), (std::vector<uint64_t>{3, 5, 5}));
  EXPECT_EQ(table->totals().puts, 13U);
  EXPECT_EQ(table->now_ms(), 30U);
}

TEST(TableModelTest, RefusesSplitKeysThatMakeNoRegions) {
  EXPECT_THAT(TableModel::Make({.settings = SmallSettings(), .split_keys = {"b", "a"}}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(TableModelTest, WindowsKnowTheHottestRegion) {
  const auto table = MakeTable(SmallSettings(), {"m"});
  for (uint64_t minute = 0; minute < 10; ++minute) {
    table->Put({.key = "a", .now_ms = minute * 60'000, .puts = 1});
    table->Put({.key = "z", .now_ms = minute * 60'000 + 1, .puts = 3});
  }
  table->Finish();

  EXPECT_EQ(table->windows().windows(), 10U);
  EXPECT_NEAR(table->windows().mean_hot_share(), 0.75, 1e-6);
  EXPECT_NEAR(table->regions()[1]->hot_share_max, 0.75, 1e-6);
  EXPECT_NEAR(table->regions()[0]->hot_share_max, 0.25, 1e-6);
}

TEST(TableModelTest, WhatMemoryCannotTakeIsBlockedAndAStall) {
  ModelSettings settings = SmallSettings();
  settings.disk_bytes_per_s = 2'000;  // a flush of 1,000 bytes takes a second
  settings.block_multiplier = 2;
  const auto table = MakeTable(settings);
  // Twenty thousand bytes within ten milliseconds.
  for (uint64_t i = 0; i < 200; ++i)
    table->Put({.key = KeyText(i), .now_ms = i / 20, .puts = 1, .rows = 1});
  table->AdvanceTo(3'600'000);
  table->Put({.key = "a", .now_ms = 3'600'000, .puts = 1});
  table->Finish();

  EXPECT_GT(table->totals().blocked, 100U);
  EXPECT_LT(table->totals().blocked, 200U);
  ASSERT_EQ(table->timeline().count(IncidentKind::kStall), 1U);
  const Incident& stall = table->timeline().incidents()[0];
  EXPECT_EQ(stall.kind, IncidentKind::kStall);
  EXPECT_GT(stall.duration_ms, 1'000U);
  EXPECT_EQ(table->totals().puts, 201U);
}

TEST(TableModelTest, TheSamePutsMakeTheSameTable) {
  const auto run = [] {
    const auto table = MakeTable(SmallSettings());
    Pour(table.get(), {.seed = 99, .puts = 20'000});
    std::string text;
    for (const auto& region : table->regions()) {
      text +=
          fmt::format("{} {} {}\n", region->info.id.value, region->info.range.start, region->puts);
    }
    return text;
  };

  EXPECT_EQ(run(), run());
}

TEST(TableModelTest, NothingIsLostWhateverHappens) {
  for (uint64_t seed = 1; seed <= (kIsSanitized ? 1U : 3U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ModelSettings settings = SmallSettings();
    settings.regions.normalizer.merge_age_ms_min = 0;
    settings.regions.normalizer.period_ms = 1'000;
    const auto table = MakeTable(settings, {"4", "8"});
    Pour(table.get(), {.seed = seed, .puts = 30'000});
    table->AdvanceTo(table->now_ms() + 600'000);
    table->Finish();

    uint64_t puts = 0;
    KeyMass mass;
    for (const auto& region : table->regions()) {
      puts += region->puts;
      mass += region->store.mass();
      const KeyHistogram all = KeysOf(region->store);
      EXPECT_GE(all.smallest(), region->info.range.start);
      if (!region->info.range.end.empty()) {
        EXPECT_LT(all.largest(), region->info.range.end);
      }
    }
    EXPECT_EQ(puts, 30'000U);
    EXPECT_EQ(mass.cells, 30'000U);
    EXPECT_EQ(mass.bytes, table->totals().written_bytes);
    EXPECT_GT(table->timeline().count(IncidentKind::kSplit), 3U);
  }
}

}  // namespace
}  // namespace hourcell::table_model_test
