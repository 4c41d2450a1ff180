#include "server/cli/data/scan/export.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tsdb.h"
#include "server/cli/data/import/import.h"
#include "server/cli/data/query/query.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::export_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kPoints =
    "cpu 1356998400 1 host=a\n"
    "cpu 1356998401500 2.5 host=a\n"
    "cpu 1356998402 3 host=b\n"
    "cpu 1357002000 -4.25E10 host=a\n";

class ExportTest : public testing::Test {
 protected:
  void SetUp() override { Import("store", kPoints, {}); }

  void Import(const std::string& name, std::string_view text, const ForeignRules& foreign) {
    WriteFile(dir_.file("in"), text);
    CapturedTerminal terminal;
    ASSERT_EQ(
        RunImport(
            {.store = {.data = dir_.file(name)}, .foreign = foreign, .paths = {dir_.file("in")}},
            terminal.get()),
        kExitOk)
        << terminal.err();
  }

  std::string Export(ExportOptions options, const std::string& name = "store") {
    CapturedTerminal terminal;
    options.store.data = dir_.file(name);
    EXPECT_EQ(RunExport(options, terminal.get()), kExitOk) << terminal.err();
    err_ = terminal.err();
    return terminal.out();
  }

  std::string Query(QueryOptions options, const std::string& name) {
    CapturedTerminal terminal;
    options.store.data = dir_.file(name);
    EXPECT_EQ(RunQuery(options, terminal.get()), kExitOk) << terminal.err();
    return terminal.out();
  }

  TempDir dir_;
  std::string err_;
};

TEST_F(ExportTest, LinesOfOpenTsdbAreThoseThatWereImported) {
  EXPECT_EQ(Export({}),
            "cpu 1356998400 1 host=a\n"
            "cpu 1356998401500 2.5 host=a\n"
            "cpu 1356998402 3 host=b\n"
            "cpu 1357002000 -4.25E10 host=a\n");
  EXPECT_EQ(err_, "exported 4 points\n");
}

TEST_F(ExportTest, OnlyPointsOfTheRangeAreWritten) {
  EXPECT_EQ(Export({.words = {"1356998401", "1356998402", "cpu"}}),
            "cpu 1356998401500 2.5 host=a\ncpu 1356998402 3 host=b\n");
  EXPECT_EQ(Export({.format = ExportFormat::kVm, .words = {"1356998403", "1356998500"}}), "");
  EXPECT_EQ(err_, "exported 0 points\n");
}

TEST_F(ExportTest, VictoriaMetricsGetsALineForAnHourOfASeries) {
  EXPECT_EQ(Export({.format = ExportFormat::kVm}),
            R"({"metric":{"__name__":"cpu","host":"a"},"values":[1,2.5],)"
            R"("timestamps":[1356998400000,1356998401500]})"
            "\n"
            R"({"metric":{"__name__":"cpu","host":"b"},"values":[3],"timestamps":[1356998402000]})"
            "\n"
            R"({"metric":{"__name__":"cpu","host":"a"},"values":[-4.25E10],)"
            R"("timestamps":[1357002000000]})"
            "\n");
}

TEST_F(ExportTest, CsvHasTheFieldsAskedFor) {
  EXPECT_EQ(Export({.format = ExportFormat::kCsv,
                    .csv_columns = "tag:host,time,-,value,metric,tag:dc",
                    .csv_header = true,
                    .words = {"1356998400", "1356998401", "cpu"}}),
            "tag:host,time,-,value,metric,tag:dc\n"
            "a,1356998400,,1,cpu,\n");
}

TEST_F(ExportTest, ATagWithoutAFieldIsAnError) {
  CapturedTerminal terminal;

  EXPECT_EQ(RunExport({.store = {.data = dir_.file("store")},
                       .format = ExportFormat::kCsv,
                       .csv_columns = "time,metric,value"},
                      terminal.get()),
            kExitFailure);

  EXPECT_THAT(terminal.err(), HasSubstr("has the tag \"host\"; add tag:host to --csv-columns"));
}

TEST_F(ExportTest, WhatIsExportedIsImportedAgain) {
  const std::string fields = "time,metric,value,tag:host";
  Import("vm", Export({.format = ExportFormat::kVm}), {.format = ImportFormat::kVm});
  Import("csv", Export({.format = ExportFormat::kCsv, .csv_columns = fields}),
         {.format = ImportFormat::kCsv, .csv_columns = fields});

  EXPECT_EQ(Export({}, "vm"), Export({}));
  EXPECT_EQ(Export({}, "csv"), Export({}));
}

TEST_F(ExportTest, AnyNamesAndSpecialValuesAreImportedAgain) {
  const std::string lines =
      "\"\\\"m\" 1356998400 1 host=a\n"
      "\"disk usage\" 1356998400 1 \"k=1\"=\"x \\\\ \\\"y\\\"\"\n"
      "up 1356998400 1 instance=web01:9100\n"
      "up 1356998401 StaleNaN instance=web01:9100\n"
      "up 1356998402 NaN instance=web01:9100\n"
      "up 1356998403 Infinity instance=web01:9100\n"
      "up 1356998404 -Infinity instance=web01:9100\n";
  Import("any", lines, {});
  const std::string exported = Export({}, "any");
  Import("again", exported, {});

  EXPECT_EQ(exported.size(), lines.size()) << exported;
  EXPECT_EQ(Export({}, "again"), exported);
  const std::string vm = Export({.format = ExportFormat::kVm}, "any");
  EXPECT_NE(vm.find(R"([1,null,null,"Infinity","-Infinity"])"), std::string::npos) << vm;
}

// The text and the answers of percentiles are those of the first store.
TEST_F(ExportTest, HistogramsOfBothKindsAreImportedAgain) {
  const SimpleHistogram simple{.buckets = {{0, 1.75, 12}, {1.75, 3.5, 16}}, .underflow = -1};
  const ExponentialHistogram exponential{.scale = 6,
                                         .has_float_counts = true,
                                         .is_cumulative = true,
                                         .zero_threshold = 1e-300,
                                         .zero_count = 0.1,
                                         .count = 3.1,
                                         .sum = -0.0,
                                         .max = 7.25,
                                         .positive = {{-7, 0.5}, {9, 2}},
                                         .negative = {{3, 0.5}}};
  const TagView tags[] = {{.key = "host", .value = "web 01"}};
  const auto point = [&](std::string_view metric, Timestamp time) {
    return PointView{
        .metric = metric, .tags = tags, .timestamp = time, .value = {}, .has_any_names = true};
  };
  const HistogramPoint histograms[] = {
      {.point = point("simple", {.ms = 1356998400000}), .histogram = &simple, .codec = 42},
      {.point = point("simple", {.ms = 1357002000001, .is_ms = true}),
       .histogram = &simple,
       .codec = 7},
      {.point = point("exponential", {.ms = 1356998400000}), .exponential = &exponential}};
  {
    const auto tsdb = OpenStore({.data = dir_.file("store")}, StoreUse::kExisting);
    ASSERT_OK(tsdb.status());
    ASSERT_OK((*tsdb)->points().AppendHistograms(histograms, nullptr));
  }

  const std::string exported = Export({});
  EXPECT_EQ(err_, "exported 4 points and 3 histograms\n");
  EXPECT_THAT(exported, HasSubstr("\nhistogram simple 1356998400 42 "));
  EXPECT_THAT(exported, HasSubstr("\nhistogram simple 1357002000001 7 "));
  EXPECT_THAT(exported, HasSubstr(" host=\"web 01\"\n"));
  Import("again", exported, {});

  EXPECT_EQ(Export({}, "again"), exported);
  const QueryOptions query{
      .words = {"1356998400", "1357002001"},
      .m_texts = {"sum:percentiles[50,99]:show-histogram-buckets:simple",
                  "sum:percentiles[1,50,99]:show-histogram-buckets:exponential"}};
  const std::string answer = Query(query, "store");
  EXPECT_THAT(answer, HasSubstr("simple_pct_50.0"));
  EXPECT_THAT(answer, HasSubstr("exponential_pct_99.0"));
  EXPECT_EQ(Query(query, "again"), answer);
  EXPECT_THAT(Export({.words = {"1356998401", "1357002001", "simple", "host=web 01"}}),
              StartsWith("histogram simple 1357002000001 7 "));
  EXPECT_THAT(Export({.format = ExportFormat::kVm}), Not(HasSubstr("simple")));
}

TEST_F(ExportTest, OptionsThatMakeNoSenseAreUsageErrors) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"--format", "xml"},
                                             {"--format", "csv"},
                                             {"--format", "csv", "--csv-columns", "time,value:cpu"},
                                             {"--format", "csv", "--csv-columns", "time"},
                                             {"--csv-header"},
                                             {"no time"}}) {
    CapturedTerminal terminal;
    EXPECT_EQ(ExportMain(args, terminal.get()), kExitUsage) << args[0];
    EXPECT_NE(terminal.err(), "");
  }
}

}  // namespace
}  // namespace hourcell::export_test
