#include "server/cli/lab/simulate_html.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/simulate/design_source.h"
#include "bench/lab/simulate/design_text.h"
#include "tests/support/status_matchers.h"

namespace hourcell::simulate_html_test {
namespace {

using testing::HasSubstr;
using testing::Not;

SimulationResult Simulated(const std::string& text) {
  const FleetSpec fleet = *ParseFleet("metrics=4,tags=host:50,duration=1d");
  const SimulationDesign design = *ParseDesign(text, {});
  auto result = RunSimulation(design, FleetSource(fleet, design), {.key_names = KeyNamesOf(fleet)});
  EXPECT_OK(result);
  return *std::move(result);
}

TEST(SimulateHtmlTest, ShowsDesignsSideBySide) {
  const std::vector<SimulationResult> results = {
      Simulated("plain: layout=time-first presplit=hex:4"),
      Simulated("salted: layout=salted:4 presplit=salt")};
  const auto page = SimulateHtml(results, "a test");
  ASSERT_OK(page);
  EXPECT_THAT(*page, HasSubstr("<h2>Designs side by side</h2>"));
  EXPECT_THAT(*page, HasSubstr("from a test"));
  EXPECT_THAT(*page, HasSubstr(">Share of the puts that the hottest region takes</text>"));
  EXPECT_THAT(*page, HasSubstr(">salted: puts by key and time</text>"));
  EXPECT_THAT(*page, HasSubstr("hot-region: "));
  // A key in words beside its bytes.
  EXPECT_THAT(*page, HasSubstr("<td class=\"text\">bucket 1</td><td class=\"text\">\\x01</td>"));
}

TEST(SimulateHtmlTest, OneDesignIsComparedWithNothing) {
  const auto page =
      SimulateHtml(std::vector<SimulationResult>{Simulated("a<b: layout=opentsdb")}, "x");
  ASSERT_OK(page);
  EXPECT_THAT(*page, HasSubstr("<h2>a&lt;b</h2>"));
  EXPECT_THAT(*page, Not(HasSubstr("side by side")));
}

}  // namespace
}  // namespace hourcell::simulate_html_test
