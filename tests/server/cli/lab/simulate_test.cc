#include "server/cli/lab/simulate.h"

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/cli/data/import/import.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::simulate_test {
namespace {

using testing::HasSubstr;

class SimulateTest : public testing::Test {
 protected:
  std::string Simulate(const SimulateOptions& options, int want = kExitOk) {
    CapturedTerminal terminal;
    EXPECT_EQ(RunSimulate(options, terminal.get()), want) << terminal.err();
    err_ = terminal.err();
    return terminal.out();
  }

  TempDir dir_;
  std::string err_;
};

// The counts that region-helper's author printed, as a trace of ten keys.
TEST_F(SimulateTest, TheClassicReportHasTheRatiosOfRegionHelpersAuthor) {
  WriteFile(dir_.file("keys"),
            "0\t9973569\n1986344a\t9999295\n331ee65f\t10012532\n4cbfd4f6\t9975842\n"
            "664c6388\t10053337\n800945e0\t9998719\n99a158d9\t10000563\nb33a2223\t9964921\n"
            "ccbcf370\t9958200\ne63b8334\t10063022\n");

  EXPECT_EQ(Simulate({.keys = dir_.file("keys"),
                      .presplit = "keys:1986344a,331ee65f,4cbfd4f6,664c6388,800945e0,99a158d9,"
                                  "b33a2223,ccbcf370,e63b8334",
                      .format = SimulateFormat::kClassic}),
            "Report Result:\n"
            ":9973569:(1.0015434)\n"
            "1986344a:9999295:(1.0041268)\n"
            "331ee65f:10012532:(1.005456)\n"
            "4cbfd4f6:9975842:(1.0017716)\n"
            "664c6388:10053337:(1.0095537)\n"
            "800945e0:9998719:(1.0040689)\n"
            "99a158d9:10000563:(1.0042541)\n"
            "b33a2223:9964921:(1.000675)\n"
            "ccbcf370:9958200:(1.0)\n"
            "e63b8334:10063022:(1.0105262)\n"
            "total requests:100000000\n");
}

TEST_F(SimulateTest, PartitionsAreEven) {
  const std::string report = Simulate({.ids = 200'000,
                                       .distributor = "partition:20",
                                       .presplit = "partition:20",
                                       .format = SimulateFormat::kClassic,
                                       .ratio_max = 1.0});

  EXPECT_THAT(report, HasSubstr("\n:10000:(1.0)\n"));
  EXPECT_THAT(report, HasSubstr("total requests:200000\n"));
}

TEST_F(SimulateTest, TheRatioGatesADesign) {
  SimulateOptions options{.fleet = "metrics=1,tags=host:100,interval=1m,duration=2h",
                          .layout = "time-first",
                          .presplit = "uniform:4",
                          .ratio_max = 1.2};
  Simulate(options, kExitFailure);
  EXPECT_THAT(err_, HasSubstr("the hottest region has 4.0000 times the mean; --max-ratio is 1.2"));

  options.layout = "hash-prefix:2";
  options.ratio_max = 1.6;
  Simulate(options, kExitOk);
}

TEST_F(SimulateTest, PointsOfATraceAndOfAStoreAreTheSamePuts) {
  std::string lines;
  for (int i = 0; i < 2'000; ++i) {
    lines += fmt::format("cpu.m{} {} {} host=h{}\n", i % 3, 1'356'998'400 + i * 10, i, i % 7);
  }
  WriteFile(dir_.file("points"), lines);
  const StoreOptions store{.data = dir_.file("store")};
  CapturedTerminal terminal;
  ASSERT_EQ(RunImport({.store = store, .paths = {dir_.file("points")}}, terminal.get()), kExitOk);

  SimulateOptions options{.layout = "metric+hour+tags",
                          .presplit = "keys:\\x00\\x00\\x02,\\x00\\x00\\x03",
                          .format = SimulateFormat::kClassic};
  options.trace = dir_.file("points");
  const std::string of_trace = Simulate(options);
  options.trace.clear();
  options.from_store = true;
  options.store = store;
  const std::string of_store = Simulate(options);
  options.layout.clear();  // the store's own keys
  const std::string stored = Simulate(options);

  EXPECT_THAT(of_trace, HasSubstr("total requests:2000\n"));
  EXPECT_EQ(of_trace, of_store);
  EXPECT_EQ(stored, of_store);
}

TEST_F(SimulateTest, DesignsAreComparedWithOneFleet) {
  const std::string text =
      Simulate({.fleet = "metrics=4,tags=host:100,interval=1m,duration=3h",
                .designs = {"plain: layout=opentsdb", "salted: layout=salted:8 presplit=salt"}});

  EXPECT_THAT(text, HasSubstr("design plain: layout opentsdb"));
  EXPECT_THAT(text, HasSubstr("design salted: layout salted:8"));
  EXPECT_THAT(text, testing::ContainsRegex("\nregions at the end +1 +8\n"));
}

TEST_F(SimulateTest, SettingsAreOfASiteFileAndOfTheCommandLine) {
  WriteFile(dir_.file("site.xml"),
            "<configuration><property><name>hbase.regionserver.region.split.policy</name>"
            "<value>org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy</value>"
            "</property></configuration>");
  WriteFile(dir_.file("site.properties"), "tsd.region.split.policy=Busy\n");
  SimulateOptions options{.fleet = "duration=1h", .site = dir_.file("site.xml")};

  EXPECT_THAT(Simulate(options), HasSubstr("policy ConstantSize"));
  options.site = dir_.file("site.properties");
  EXPECT_THAT(Simulate(options), HasSubstr("policy Busy"));
  options.store.settings = {"tsd.region.split.policy=Stepping"};
  EXPECT_THAT(Simulate(options), HasSubstr("policy Stepping"));
}

TEST_F(SimulateTest, FormatsAndTheHeatMap) {
  SimulateOptions options{.fleet = "duration=3h", .heat = true};
  EXPECT_THAT(Simulate(options), HasSubstr("characters; @ = "));
  options.format = SimulateFormat::kJson;
  EXPECT_THAT(Simulate(options), HasSubstr("\"heat\":{"));
  options.format = SimulateFormat::kCsv;
  EXPECT_THAT(Simulate(options), HasSubstr("id,parent,start"));
}

TEST_F(SimulateTest, TheHeatMapIsDrawnToAFile) {
  SimulateOptions options{.fleet = "duration=3h", .heat = true};
  const std::string without = Simulate(options);
  for (const std::string file : {"map.svg", "map.png"}) {
    options.heatmap = dir_.file(file);
    EXPECT_EQ(Simulate(options).substr(0, without.find(" |")),
              without.substr(0, without.find(" |")));
    EXPECT_GT(std::filesystem::file_size(options.heatmap), 5'000U) << file;
  }
  options.heatmap = dir_.file("map.jpg");
  Simulate(options, kExitUsage);
  EXPECT_THAT(err_, HasSubstr("that ends in .png or .svg"));
  options.heatmap = dir_.file("none/map.svg");
  Simulate(options, kExitFailure);
  options.designs = {"a: layout=opentsdb", "b: layout=time-first"};
  Simulate(options, kExitUsage);
  EXPECT_THAT(err_, HasSubstr("--heatmap: more than one --design"));
}

// The number after `text` in `from`; -1 if the text is missing.
double NumberAfter(const std::string& from, std::string_view text) {
  const size_t at = from.find(text);
  return at == std::string::npos ? -1 : std::strtod(from.c_str() + at + text.size(), nullptr);
}

// The fleets of docs/simulate.md on a smaller scale.
TEST_F(SimulateTest, AgreesWithTheEngine) {
  struct Agreed {
    std::string fleet;
    std::string layout = "opentsdb";
    std::string presplit = {};
  };
  const std::string alike = "metrics=5,tags=host:60,duration=1d";
  const Agreed fleets[] = {{alike, "time-first"},
                           {alike, "hash-prefix:2"},
                           {alike, "salted:8", "salt"},
                           {alike},
                           {"metrics=5,tags=host:100,duration=1d"},
                           {"metrics=20,tags=host:30,duration=1d"},
                           {"metrics=5,tags=host:100,duration=1d,skew=1"}};
  for (size_t i = 0; i < std::size(fleets); i += kIsSanitized ? std::size(fleets) : 1) {
    SCOPED_TRACE(fleets[i].fleet + " " + fleets[i].layout);
    SimulateOptions options{.fleet = fleets[i].fleet,
                            .layout = fleets[i].layout,
                            .presplit = fleets[i].presplit,
                            .validate = dir_.file(std::to_string(i))};
    options.store.settings = {"tsd.region.flush_bytes=64KiB", "tsd.region.split.max_bytes=1MiB",
                              "tsd.region.split.jitter=0", "tsd.region.normalizer.enabled=false"};
    const std::string out = Simulate(options);

    const double model = NumberAfter(out, "\nregions: ");
    EXPECT_GE(model, 4);
    EXPECT_NEAR(model, NumberAfter(out, " in the model, "), 1);
    const double model_bytes = NumberAfter(out, "\nbytes: ");
    EXPECT_NEAR(NumberAfter(out, fmt::format("\nbytes: {:.0f} and ", model_bytes)), model_bytes,
                0.02 * model_bytes);
    const double sizes = NumberAfter(out, "sizes in their order differ by ");
    EXPECT_GE(sizes, 0);
    EXPECT_LE(sizes, 10);
  }
}

TEST_F(SimulateTest, RefusesWithExitCodes) {
  Simulate({.fleet = "metrics=1,duration=1h",
            .layout = "metric+day+tags",
            .validate = dir_.file("days")},
           kExitFailure);
  EXPECT_THAT(err_, HasSubstr("--validate: expected a layout with hours, got rows of days"));
  Simulate({.fleet = "duration=1h", .ids = 5}, kExitUsage);
  EXPECT_THAT(
      err_, HasSubstr("expected one of --fleet, --trace, --keys, --ids and --store, got several"));
  Simulate({.fleet = "durations=1h"}, kExitUsage);
  Simulate({.layout = "colour"}, kExitUsage);
  Simulate({.window = "soon"}, kExitUsage);
  Simulate({.site = dir_.file("none.xml")}, kExitFailure);
  Simulate({.trace = dir_.file("none")}, kExitFailure);
  WriteFile(dir_.file("bad.xml"), "<configuration>\n<oops>");
  Simulate({.site = dir_.file("bad.xml")}, kExitUsage);
  EXPECT_THAT(err_, HasSubstr("bad.xml: line 2"));
  WriteFile(dir_.file("bad"), "cpu 1 1 host=a\ncpu x 1 host=a\n");
  Simulate({.trace = dir_.file("bad")}, kExitUsage);
  EXPECT_THAT(err_, HasSubstr("line 2"));
}

TEST_F(SimulateTest, TheReportIsAPageOfItsOwn) {
  SimulateOptions options{.fleet = "metrics=4,duration=3h",
                          .designs = {"plain: layout=opentsdb", "salted: layout=salted:4"},
                          .html = dir_.file("report.html")};
  Simulate(options);
  const std::string page = ReadFile(options.html);
  EXPECT_THAT(page, HasSubstr("<h2>plain</h2>"));
  EXPECT_THAT(page, HasSubstr("from the fleet metrics=4,duration=3h"));
  options.html = dir_.file("none/report.html");
  Simulate(options, kExitFailure);
  EXPECT_THAT(err_, HasSubstr("none/report.html"));
}

}  // namespace
}  // namespace hourcell::simulate_test
