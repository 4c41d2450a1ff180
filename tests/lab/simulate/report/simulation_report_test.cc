#include "bench/lab/simulate/report/simulation_report.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/simulate/sources.h"
#include "tests/support/status_matchers.h"

namespace hourcell::simulation_report_test {
namespace {

using testing::HasSubstr;
using testing::Not;

SimulationResult Simulate(const SimulationDesign& design, const PutSourceFactory& source) {
  auto result = RunSimulation(design, source);
  EXPECT_OK(result);
  return result.ok() ? *std::move(result) : SimulationResult{};
}

TEST(SimulationReportTest, ClassicIsRegionHelpers) {
  const SimulationResult result =
      Simulate({.layout = "id", .distributor = "partition:3", .presplit = "partition:3"}, Ids(10));

  EXPECT_EQ(ClassicText(result),
            "Report Result:\n"
            ":3:(1.0)\n"
            "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01:4:(1.3333334)\n"
            "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02:3:(1.0)\n"
            "total requests:10\n");
}

TEST(SimulationReportTest, TheTableHasTotalsRegionsAndAdvice) {
  const std::string text = TableText(
      Simulate({.name = "d", .layout = "salted:2", .presplit = "salt"},
               Fleet("metrics=2,tags=host:50,interval=1m,duration=2h", FleetSteps::kRows)));

  EXPECT_THAT(text, HasSubstr("design d: layout salted:2 = salt:2+metric+hour+tags, distributor "
                              "none, pre-split salt, policy IncreasingToUpperBound, seed 1\n"));
  EXPECT_THAT(text, HasSubstr("12000 puts in 2:04:57, 200 steps; 100 row keys of 14.0 bytes"));
  EXPECT_THAT(text, HasSubstr("2 regions, 0 empty; 0 splits"));
  EXPECT_THAT(text, HasSubstr("\n(start)       "));
  EXPECT_THAT(text, HasSubstr("\n\\x01       "));
}

TEST(SimulationReportTest, ManyRegionsAreCutShort) {
  const SimulationResult result = Simulate(
      {.layout = "id", .distributor = "partition:50", .presplit = "partition:50"}, Ids(1'000));

  const std::string text = TableText(result, {.regions_max = 5});
  EXPECT_THAT(text, HasSubstr("... the 5 regions with most puts of 50"));
}

TEST(SimulationReportTest, TheTimelineSaysWhatHappened) {
  SimulationResult result;
  result.start_ms = 1'000;
  result.timeline.Add({.time_ms = 3'661'000,
                       .kind = IncidentKind::kSplit,
                       .region = {7},
                       .key = "m",
                       .left_share = 0.5,
                       .bytes = 2'048,
                       .regions = 2,
                       .cause = SplitCause::kSize});
  result.timeline.Add({.time_ms = 3'662'000,
                       .kind = IncidentKind::kStall,
                       .region = {8},
                       .bytes = 100,
                       .duration_ms = 1'500});

  EXPECT_EQ(TimelineText(result, 10),
            "     1:01:00  split        region 7 of 2.0 KiB at m, 50.0 % left, by size; 2 regions\n"
            "     1:01:01  stall        region 8: writes blocked for 1.5 s, 100 B in memory\n");
  EXPECT_THAT(TimelineText(result, 1), HasSubstr("... 1 more\n"));
}

TEST(SimulationReportTest, DesignsStandSideBySide) {
  const auto fleet = Fleet("metrics=2,tags=host:50,interval=1m,duration=2h", FleetSteps::kRows);
  const std::vector<SimulationResult> results = {
      Simulate({.name = "plain"}, fleet),
      Simulate({.name = "salted", .layout = "salted:4", .presplit = "salt"}, fleet)};

  const std::string text = CompareText(results);
  EXPECT_THAT(text, HasSubstr("  plain"));
  EXPECT_THAT(text, HasSubstr("regions at the end"));
  EXPECT_THAT(text, HasSubstr("scans for one metric"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace hourcell::simulation_report_test
