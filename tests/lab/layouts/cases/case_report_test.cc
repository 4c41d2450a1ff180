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

std::vector<CaseResult> Results() {
  return {MadeUpResult("opentsdb"), MadeUpResult("xxh3:8+metric,tags,time")};
}

TEST(CaseReportTest, TextHasALineACaseInEachTable) {
  const std::string text = TextReport(Results(), {.cases = 2});

  EXPECT_THAT(text, AllOf(StartsWith("Writes\n"), HasSubstr("\nReads\n"), HasSubstr("123456"),
                          HasSubstr("fleet     opentsdb                 packed  increasing"),
                          HasSubstr("xxh3:8+metric,tags,time")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2 * (2 + 1 + 2) + 1 + 10);
}

TEST(CaseReportTest, TextOfAnInterruptedRunSaysHowFarItCame) {
  EXPECT_THAT(TextReport(Results(), {.cases = 116}),
              StartsWith("Ended after 2 of 116 cases.\n\nWrites\n"));
  EXPECT_EQ(EndedText(Results(), {.cases = 2}), "");
}

TEST(CaseReportTest, CsvHasAsManyFieldsInEveryLine) {
  const std::string csv = CsvReport(Results());
  EXPECT_THAT(csv, StartsWith("workload,layout,key_template,cells,splits_by,seed,points,"));
  EXPECT_THAT(csv, HasSubstr("\nfleet,\"xxh3:8+metric,tags,time\",\"xxh3:8+metric,tags,time\","
                             "packed,increasing,77,1000,10,"));
  const auto commas = [](std::string_view line) { return std::ranges::count(line, ','); };
  const size_t end = csv.find('\n');
  const std::string_view rest = std::string_view(csv).substr(end + 1);
  EXPECT_EQ(commas(csv.substr(0, end)), commas(rest.substr(0, rest.find('\n'))) - 2);
}

TEST(CaseReportTest, JsonIsJsonAndHasTheFigures) {
  const simdjson::padded_string json(JsonReport(Results(), {.cases = 3}));
  simdjson::dom::parser parser;
  simdjson::dom::element report;
  ASSERT_EQ(parser.parse(json).get(report), simdjson::SUCCESS);

  EXPECT_EQ(uint64_t(report["planned"]), 3u);
  const auto second = report["cases"].at(1);
  EXPECT_EQ(std::string_view(second["layout"]), "xxh3:8+metric,tags,time");
  EXPECT_EQ(double(second["hot_share_percent"]), 50);
  EXPECT_EQ(double(second["windows"].at(1)["gini"]), 0.25);
}

TEST(CaseReportTest, WritesAFileForEachNameItReturns) {
  const TempDir dir;
  const auto names = WriteReport(Results(), {.cases = 2}, dir.file("new/report"));
  ASSERT_OK(names);

  EXPECT_THAT(*names, AllOf(Contains("report.txt"), Contains("report.csv"), Contains("report.json"),
                            Contains("hot-share.svg"), Contains("hot-share.png"),
                            Contains("load-opentsdb.png")));
  for (const std::string& name : *names)
    EXPECT_GT(std::filesystem::file_size(dir.file("new/report/" + name)), 100u) << name;
}

TEST(CaseReportTest, SaysWhichDirectoryItCannotMake) {
  const TempDir dir;
  ASSERT_OK(WriteReport(Results(), {.cases = 2}, dir.path()));

  EXPECT_THAT(WriteReport(Results(), {.cases = 2}, dir.file("report.txt/inside")).status(),
              StatusIs(StatusCode::kUnavailable, HasSubstr("report.txt/inside")));
}

}  // namespace
}  // namespace hourcell::layouts::case_report_test
