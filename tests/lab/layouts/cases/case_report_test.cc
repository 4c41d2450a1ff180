#include "bench/lab/layouts/cases/case_report.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/lab/layouts/cases/results.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::layouts::case_report_test {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kTemplate = "xxh3:8+metric,tags,time";

// Two cases, each with three rounds.
std::vector<CaseSummary> Cases() {
  std::vector<CaseResult> results;
  for (const double cpu_us : {30.0, 10.0, 20.0}) {
    for (const std::string_view layout : {std::string_view("opentsdb"), kTemplate}) {
      results.push_back(MadeUpResult(layout));
      results.back().reads[0].cpu_us = cpu_us;
    }
  }
  return Summarize(results);
}

const RunAbout kWhole = {.measured = 6, .planned = 6};

TEST(CaseReportTest, TextHasALineACaseInEachTable) {
  const std::string text = TextReport(Cases(), kWhole);

  EXPECT_THAT(text, AllOf(StartsWith("rounds of a case: 3\n\nWrites\n"), HasSubstr("\nReads\n"),
                          HasSubstr("20.0 (10.0-30.0)"),
                          HasSubstr("fleet     opentsdb                 packed  increasing"),
                          HasSubstr("xxh3:8+metric,tags,time")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2 * (2 + 1 + 2) + 2 + 12);
}

TEST(CaseReportTest, TextOfAnInterruptedRunSaysHowFarItCame) {
  EXPECT_THAT(TextReport(Cases(), {.measured = 6, .planned = 116}),
              StartsWith("Ended after 6 of 116 measurements.\n"));
}

TEST(CaseReportTest, TextNamesTheProgramAndItsBuild) {
  const std::string text = TextReport(Cases(), {.measured = 6,
                                                .planned = 6,
                                                .program = "hourcell 9, Debug",
                                                .is_release = false,
                                                .stores = "/x"});
  EXPECT_THAT(
      text,
      StartsWith("hourcell 9, Debug; NOT a release build: do not compare times and instructions; "
                 "stores in /x; rounds of a case: 3\n"));
}

TEST(CaseReportTest, ATimeNeedsRounds) {
  const std::vector<CaseResult> once = {MadeUpResult("opentsdb")};
  const CaseSummary summary = Summarize(once).front();
  for (const ResultField& field : ReadFields()) {
    const std::string text = FieldText(summary, field);
    EXPECT_EQ(text == "-", field.kind == FieldKind::kTime) << field.name;
  }
}

TEST(CaseReportTest, InstructionsNeedAKernelThatCountsThem) {
  std::vector<CaseResult> results = {MadeUpResult("opentsdb"), MadeUpResult("salt-4")};
  results[1].reads[0].instructions = 0;
  const std::vector<CaseSummary> cases = Summarize(results);
  const auto of_point = std::ranges::find(ReadFields(), "point_instructions", &ResultField::name);

  EXPECT_EQ(FieldText(cases[0], *of_point), "4500");
  EXPECT_EQ(FieldText(cases[1], *of_point), "not available here");
  EXPECT_THAT(JsonReport(cases, kWhole), HasSubstr("\"point_instructions\":null,"));
}

TEST(CaseReportTest, FiguresWithTimesNameABuildThatIsNotARelease) {
  for (const bool is_release : {true, false}) {
    RunAbout about = kWhole;
    about.is_release = is_release;
    for (const NamedFigure& named : ReportFigures(Cases(), about)) {
      const bool is_marked = named.figure.note.find("NOT a release build") != std::string::npos;
      EXPECT_EQ(is_marked, named.depends_on_build && !is_release) << named.name;
    }
  }
}

TEST(CaseReportTest, CsvHasAsManyFieldsInEveryLine) {
  const std::string csv = CsvReport(Cases());
  EXPECT_THAT(csv, StartsWith("workload,layout,key_template,cells,splits_by,seed,rounds,points,"));
  EXPECT_THAT(csv, HasSubstr("\nfleet,\"xxh3:8+metric,tags,time\",\"xxh3:8+metric,tags,time\","
                             "packed,increasing,77,3,1000,10,"));
  const auto commas = [](std::string_view line) { return std::ranges::count(line, ','); };
  const size_t end = csv.find('\n');
  const std::string_view rest = std::string_view(csv).substr(end + 1);
  EXPECT_EQ(commas(csv.substr(0, end)), commas(rest.substr(0, rest.find('\n'))) - 2);
}

TEST(CaseReportTest, JsonIsJsonAndHasTheFigures) {
  const simdjson::padded_string json(JsonReport(Cases(), {.measured = 6, .planned = 8}));
  simdjson::dom::parser parser;
  simdjson::dom::element report;
  ASSERT_EQ(parser.parse(json).get(report), simdjson::SUCCESS);

  EXPECT_EQ(uint64_t(report["planned"]), 8u);
  EXPECT_EQ(uint64_t(report["measured"]), 6u);
  const auto second = report["cases"].at(1);
  EXPECT_EQ(std::string_view(second["layout"]), "xxh3:8+metric,tags,time");
  EXPECT_EQ(double(second["hot_share_percent"]), 50);
  EXPECT_EQ(double(second["rounds"]), 3);
  EXPECT_EQ(double(second["point_cpu_us"]), 20);
  EXPECT_EQ(double(second["point_cpu_us_q1"]), 10);
  EXPECT_EQ(double(second["point_cpu_us_q3"]), 30);
  EXPECT_EQ(double(second["windows"].at(1)["gini"]), 0.25);
}

TEST(CaseReportTest, WritesAFileForEachNameItReturns) {
  const TempDir dir;
  const auto names = WriteReport(Cases(), kWhole, dir.file("new/report"));
  ASSERT_OK(names);

  EXPECT_THAT(*names, AllOf(Contains("report.txt"), Contains("report.csv"), Contains("report.json"),
                            Contains("hot-share.svg"), Contains("hot-share.png"),
                            Contains("load-opentsdb.png")));
  for (const std::string& name : *names)
    EXPECT_GT(std::filesystem::file_size(dir.file("new/report/" + name)), 100u) << name;
}

TEST(CaseReportTest, SaysWhichDirectoryItCannotMake) {
  const TempDir dir;
  ASSERT_OK(WriteReport(Cases(), kWhole, dir.path()));

  EXPECT_THAT(WriteReport(Cases(), kWhole, dir.file("report.txt/inside")).status(),
              StatusIs(StatusCode::kUnavailable, HasSubstr("report.txt/inside")));
}

}  // namespace
}  // namespace hourcell::layouts::case_report_test
