#include "engine/regions/live/region_history.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::region_history_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kStepMs = RegionHistory::kStepMs;
constexpr uint64_t kStartMs = 2'000'000'000'000;  // a multiple of a step

RegionUse UseOf(uint64_t id,
                const std::string& start,
                const std::string& end,
                uint64_t rows_written,
                std::vector<RegionId> parents = {}) {
  RegionUse use;
  use.region.id = RegionId{id};
  use.region.range = {.start = start, .end = end};
  use.region.parents = std::move(parents);
  use.rows_written = rows_written;
  use.file_bytes = 1'000 * rows_written;
  return use;
}

std::vector<uint32_t> RowsOf(const RegionLoad& load) {
  std::vector<uint32_t> rows;
  for (const RegionLoadStep& step : load.steps)
    rows.push_back(step.rows_written);
  return rows;
}

TEST(RegionHistoryTest, HasNothingBeforeTheFirstStepIsOver) {
  RegionHistory history;
  EXPECT_THAT(history.Read(0).regions, IsEmpty());
  history.Note(kStartMs, std::vector{UseOf(1, "", "", 5)});
  EXPECT_EQ(history.Read(0).steps, 0u);
}

TEST(RegionHistoryTest, KeepsTheGrowthOfEachStep) {
  RegionHistory history;
  history.Note(kStartMs + 1, std::vector{UseOf(1, "", "m", 5), UseOf(2, "m", "", 0)});
  history.Note(kStartMs + 9'000, std::vector{UseOf(1, "", "m", 7), UseOf(2, "m", "", 1)});
  history.Note(kStartMs + kStepMs, std::vector{UseOf(1, "", "m", 8), UseOf(2, "m", "", 1)});
  history.Note(kStartMs + 2 * kStepMs, std::vector{UseOf(1, "", "m", 9), UseOf(2, "m", "", 4)});

  const RegionLoadReport report = history.Read(0);

  EXPECT_EQ(report.start_ms, kStartMs);
  EXPECT_EQ(report.steps, 2u);
  ASSERT_THAT(report.regions, SizeIs(2));
  EXPECT_THAT(RowsOf(report.regions[0]), ElementsAre(8, 1));
  EXPECT_THAT(RowsOf(report.regions[1]), ElementsAre(1, 3));
  EXPECT_EQ(report.regions[1].steps[1].bytes, 4'000u);
  EXPECT_THAT(history.Read(kStartMs + 1).regions[0].steps, SizeIs(1));
  EXPECT_EQ(history.Read(kStartMs + 1).start_ms, kStartMs + kStepMs);
}

TEST(RegionHistoryTest, ASplitEndsOneRegionAndBeginsTwo) {
  RegionHistory history;
  history.Note(kStartMs, std::vector{UseOf(1, "", "", 5)});
  history.Note(kStartMs + kStepMs, std::vector{UseOf(1, "", "", 6)});
  history.Note(kStartMs + kStepMs + 2'000, std::vector{UseOf(2, "", "m", 1, {RegionId{1}}),
                                                       UseOf(3, "m", "", 2, {RegionId{1}})});
  history.Note(kStartMs + 2 * kStepMs, std::vector{UseOf(2, "", "m", 4, {RegionId{1}}),
                                                   UseOf(3, "m", "", 2, {RegionId{1}})});

  const RegionLoadReport report = history.Read(0);

  ASSERT_THAT(report.regions, SizeIs(3));
  EXPECT_EQ(report.regions[0].id, 1u);
  EXPECT_FALSE(report.regions[0].is_open);
  EXPECT_THAT(RowsOf(report.regions[0]), ElementsAre(6));
  EXPECT_EQ(report.regions[1].first_step, 1u);
  EXPECT_THAT(RowsOf(report.regions[1]), ElementsAre(4));
  EXPECT_THAT(RowsOf(report.regions[2]), ElementsAre(2));
  ASSERT_THAT(report.events, SizeIs(1));
  EXPECT_TRUE(report.events[0].is_split());
  EXPECT_EQ(report.events[0].time_ms, kStartMs + kStepMs + 2'000);
  EXPECT_THAT(report.events[0].daughters, ElementsAre(2, 3));
  EXPECT_EQ(report.events[0].cut, "m");
}

TEST(RegionHistoryTest, AMergeIsAnEventToo) {
  RegionHistory history;
  history.Note(kStartMs, std::vector{UseOf(1, "", "m", 0), UseOf(2, "m", "", 0)});
  history.Note(kStartMs + 1, std::vector{UseOf(3, "", "", 0, {RegionId{1}, RegionId{2}})});
  history.Note(kStartMs + kStepMs, std::vector{UseOf(3, "", "", 0, {RegionId{1}, RegionId{2}})});

  const RegionLoadReport report = history.Read(0);
  ASSERT_THAT(report.events, SizeIs(1));
  EXPECT_FALSE(report.events[0].is_split());
  EXPECT_THAT(report.events[0].parents, ElementsAre(1, 2));
}

TEST(RegionHistoryTest, PutsGoToTheRegionOfTheirKey) {
  RegionHistory history;
  history.NotePuts(std::vector<RegionHistory::PutsOfKey>{{"a", 1}}, 64);  // no region is known
  history.Note(kStartMs, std::vector{UseOf(1, "", "m", 0), UseOf(2, "m", "", 0)});
  history.NotePuts(std::vector<RegionHistory::PutsOfKey>{{"a", 1}, {"m", 1}, {"z", 2}}, 400);
  history.Note(kStartMs + kStepMs, std::vector{UseOf(1, "", "m", 0), UseOf(2, "m", "", 0)});

  const RegionLoadReport report = history.Read(0);
  EXPECT_EQ(report.regions[0].steps[0].points_written, 100u);
  EXPECT_EQ(report.regions[1].steps[0].points_written, 300u);
}

TEST(RegionHistoryTest, ALatePassIsSpreadOverTheStepsItMissed) {
  RegionHistory history;
  history.Note(kStartMs, std::vector{UseOf(1, "", "", 0)});
  history.Note(kStartMs + 4 * kStepMs, std::vector{UseOf(1, "", "", 10)});
  EXPECT_THAT(RowsOf(history.Read(0).regions[0]), ElementsAre(2, 3, 2, 3));
}

TEST(RegionHistoryTest, IsARing) {
  RegionHistory history;
  for (uint64_t step = 0; step <= RegionHistory::kStepsMax + 10; ++step)
    history.Note(kStartMs + step * kStepMs, std::vector{UseOf(1, "", "", step)});
  const RegionLoadReport report = history.Read(0);
  EXPECT_EQ(report.steps, RegionHistory::kStepsMax);
  EXPECT_EQ(report.start_ms, kStartMs + 10 * kStepMs);
  EXPECT_THAT(report.regions[0].steps, SizeIs(RegionHistory::kStepsMax));

  history.Note(kStartMs + 1'000'000 * kStepMs, std::vector{UseOf(1, "", "", 5'000)});
  EXPECT_EQ(history.Read(0).steps, RegionHistory::kStepsMax);
}

TEST(RegionHistoryTest, ManyRegionsShortenIt) {
  RegionHistory history;
  std::vector<RegionUse> uses;
  for (uint64_t i = 0; i < 4'096; ++i)
    uses.push_back(UseOf(i + 1, i == 0 ? "" : std::to_string(10'000 + i), "", 0));
  for (uint64_t step = 0; step <= 100; ++step)
    history.Note(kStartMs + step * kStepMs, uses);
  const RegionLoadReport report = history.Read(0);
  EXPECT_EQ(report.steps, RegionHistory::kCellsMax / 4'096);
}

TEST(RegionHistoryTest, WhatIsGoneIsForgottenWithItsLastStep) {
  RegionHistory history;
  history.Note(kStartMs, std::vector{UseOf(1, "", "", 0)});
  history.Note(kStartMs + kStepMs, std::vector{UseOf(1, "", "", 0)});
  for (uint64_t step = 2; step <= RegionHistory::kStepsMax + 3; ++step)
    history.Note(kStartMs + step * kStepMs, std::vector{UseOf(2, "", "", 0, {RegionId{1}})});
  const RegionLoadReport report = history.Read(0);
  ASSERT_THAT(report.regions, SizeIs(1));
  EXPECT_EQ(report.regions[0].id, 2u);
  EXPECT_THAT(report.events, IsEmpty());
}

TEST(RegionHistoryTest, SamplesTheWritesOfTheLastMinutes) {
  RegionHistory history;
  const std::vector uses = {UseOf(1, "", "m", 0), UseOf(2, "m", "", 0)};
  EXPECT_THAT(history.WritesTo(RegionId{1}), IsEmpty());
  history.Note(kStartMs, uses);
  history.NotePuts(std::vector<RegionHistory::PutsOfKey>{{"a", 3}, {"z", 1}}, 256);
  EXPECT_THAT(history.WritesTo(RegionId{1}), ElementsAre(SampledWrite{"a", 3}));
  EXPECT_THAT(history.WritesTo(RegionId{2}), ElementsAre(SampledWrite{"z", 1}));
  history.NotePuts(std::vector<RegionHistory::PutsOfKey>{{"b", 100'000}}, 6'400'000);
  EXPECT_THAT(history.WritesTo(RegionId{1}).back().key, "b");

  const uint64_t window_ms = RegionHistory::kWindowSteps * kStepMs;
  const uint64_t first_ms = kStartMs + window_ms;
  history.Note(first_ms, uses);
  EXPECT_THAT(history.WritesTo(RegionId{2}), SizeIs(1));
  history.Note(first_ms + window_ms, uses);
  EXPECT_THAT(history.WritesTo(RegionId{2}), IsEmpty());

  history.NotePuts(std::vector<RegionHistory::PutsOfKey>{{"z", 1}}, 64);
  history.Note(first_ms + 4 * window_ms, uses);  // as after a pause of the process
  EXPECT_THAT(history.WritesTo(RegionId{2}), IsEmpty());
}

TEST(RegionHistoryTest, ManyRegionsHaveSmallerSamples) {
  RegionHistory history;
  std::vector<RegionUse> uses;
  for (uint64_t i = 0; i < 2'000; ++i)
    uses.push_back(UseOf(i + 1, i == 0 ? "" : std::to_string(10'000 + i), "", 0));
  history.Note(kStartMs, uses);
  std::vector<RegionHistory::PutsOfKey> puts;
  for (int i = 0; i < 1'000; ++i)
    puts.push_back({"1" + std::to_string(i), 1});  // below 10001
  history.NotePuts(puts, 64'000);
  EXPECT_THAT(history.WritesTo(RegionId{1}).size(), testing::Le(16u));
}

TEST(RegionHistoryTest, AClockThatIsPutBackMakesNoSteps) {
  RegionHistory history;
  history.Note(kStartMs + 5 * kStepMs, std::vector{UseOf(1, "", "", 0)});
  history.Note(kStartMs, std::vector{UseOf(1, "", "", 1)});
  EXPECT_EQ(history.Read(0).steps, 0u);
  history.Note(kStartMs + 6 * kStepMs, std::vector{UseOf(1, "", "", 3)});
  EXPECT_THAT(RowsOf(history.Read(0).regions[0]), ElementsAre(3));
}

}  // namespace
}  // namespace hourcell::region_history_test
