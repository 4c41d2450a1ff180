// CSV and JSON of simulations.

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "bench/lab/simulate/report/simulation_report.h"
#include "tests/lab/simulate/sources.h"
#include "tests/support/status_matchers.h"

namespace hourcell::simulation_export_test {
namespace {

using testing::HasSubstr;

SimulationResult Result() {
  SimulationDesign design{.name = "a \"name\"", .layout = "time-first", .presplit = "keys:P,\\x22"};
  design.settings.regions.split.flush_bytes = 20'000;
  design.settings.regions.split.max_bytes = 50'000;
  design.settings.regions.split.daughter_bytes_min = 1'000;
  auto result = RunSimulation(
      design, Fleet("metrics=2,tags=host:50,interval=1m,duration=1d", FleetSteps::kRows));
  EXPECT_OK(result);
  return *std::move(result);
}

TEST(SimulationExportTest, JsonReadsBack) {
  const SimulationResult result = Result();
  const std::vector<SimulationResult> results = {result, result};
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  ASSERT_EQ(parser.parse(JsonText(results)).get(json), simdjson::SUCCESS);

  const simdjson::dom::array all(json);
  ASSERT_EQ(all.size(), 2U);
  const simdjson::dom::element first = all.at(0);
  EXPECT_EQ(std::string_view(first["design"]["name"]), "a \"name\"");
  EXPECT_EQ(uint64_t(first["totals"]["puts"]), result.totals.puts);
  ASSERT_EQ(simdjson::dom::array(first["regions"]).size(), result.regions.size());
  EXPECT_EQ(std::string_view(first["regions"].at(1)["start"]), "\"");
  EXPECT_EQ(simdjson::dom::array(first["timeline"]).size(), result.timeline.incidents().size());
  EXPECT_GT(result.timeline.incidents().size(), 0U);
  EXPECT_EQ(simdjson::dom::array(first["heat"]["puts"]).size(),
            result.heat.rows() * result.heat.steps);
  EXPECT_GT(simdjson::dom::array(first["curve"]).size(), 10U);
  EXPECT_GT(simdjson::dom::array(first["predictions"]).size(), 0U);
}

TEST(SimulationExportTest, CsvHasALineARegion) {
  const SimulationResult result = Result();
  const std::string text = CsvText(result);

  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')),
            result.regions.size() + 1);
  EXPECT_THAT(text, HasSubstr("id,parent,start,end,puts,"));
  EXPECT_THAT(text, HasSubstr(",\"\",\"\"\"\",0,"));
}

}  // namespace
}  // namespace hourcell::simulation_export_test
