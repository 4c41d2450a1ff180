#include "server/cli/data/scan/export.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/cli/data/import/import.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/temp_dir.h"

namespace hourcell::export_test {
namespace {

using testing::HasSubstr;

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
