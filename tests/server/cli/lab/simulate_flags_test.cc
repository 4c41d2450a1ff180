#include "server/cli/lab/simulate_flags.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/cli/command_line.h"
#include "tests/server/cli/captured_terminal.h"

namespace hourcell::simulate_flags_test {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::Optional;

class SimulateFlagsTest : public testing::Test {
 protected:
  SimulateFlagsTest() { AddSimulateFlags(&line_, &options_); }
  std::optional<int> Parse(const std::vector<std::string>& args) {
    return line_.Parse(args, terminal_.get());
  }

  CapturedTerminal terminal_;
  CommandLine line_{"simulate", "Foretells."};
  SimulateOptions options_;
};

TEST_F(SimulateFlagsTest, SourceAndDesignAreTaken) {
  EXPECT_THAT(
      Parse({"--fleet", "f",          "--trace",  "t",        "--keys",   "k",      "--ids",
             "9",       "--store",    "--rate",   "8",        "--layout", "l",      "--distributor",
             "d",       "--presplit", "p",        "--engine", "hbase",    "--site", "s",
             "--seed",  "3",          "--design", "a",        "--design", "b"}),
      Eq(std::nullopt));

  EXPECT_EQ(options_.fleet + options_.trace + options_.keys, "ftk");
  EXPECT_EQ(options_.ids, 9U);
  EXPECT_TRUE(options_.from_store);
  EXPECT_EQ(options_.rate, 8U);
  EXPECT_EQ(options_.layout + options_.distributor + options_.presplit + options_.site, "ldps");
  EXPECT_EQ(options_.engine, "hbase");
  EXPECT_EQ(options_.seed, 3U);
  EXPECT_THAT(options_.designs, ElementsAre("a", "b"));
}

TEST_F(SimulateFlagsTest, ReportIsTaken) {
  EXPECT_THAT(
      Parse({"--heat", "--heatmap", "h.png", "--html", "h.html", "--regions", "5", "--timeline",
             "6", "--window", "1m", "--settle", "2h", "--validate", "v", "--max-ratio", "1.5"}),
      Eq(std::nullopt));

  EXPECT_TRUE(options_.heat);
  EXPECT_EQ(options_.heatmap, "h.png");
  EXPECT_EQ(options_.html, "h.html");
  EXPECT_EQ(options_.regions_max, 5U);
  EXPECT_EQ(options_.timeline_max, 6U);
  EXPECT_EQ(options_.window + options_.settle + options_.validate, "1m2hv");
  EXPECT_EQ(options_.ratio_max, 1.5);
}

TEST_F(SimulateFlagsTest, FormatsAreKnownByName) {
  EXPECT_THAT(Parse({"--format", "classic"}), Eq(std::nullopt));
  EXPECT_EQ(options_.format, SimulateFormat::kClassic);
  EXPECT_THAT(Parse({"--format", "json"}), Eq(std::nullopt));
  EXPECT_EQ(options_.format, SimulateFormat::kJson);

  EXPECT_THAT(Parse({"--format", "xml"}), Optional(kExitUsage));
  EXPECT_THAT(terminal_.err(),
              HasSubstr("hourcell simulate: --format: expected table, classic, csv or json\n"));
}

}  // namespace
}  // namespace hourcell::simulate_flags_test
