#include "server/admin/fsck_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::fsck_json_test {
namespace {

using testing::HasSubstr;

FsckReport Report() {
  FsckReport report;
  report.rows = 5;
  report.points = 6;
  report.journal_points = 7;
  report.Add(FsckFault::kDamagedRow, "row \"1\"", 1);
  report.Add(FsckFault::kDamagedRow, "row 2", 1);
  return report;
}

constexpr std::string_view kReport =
    R"({"rows":5,"points":6,"annotations":0,"series":0,"mappings":0,"regions":0,)"
    R"("journal_blocks":0,"journal_points":7,"ms":42,"fixed":0,"faults":{"damaged-row":2},)"
    R"("examples":[{"fault":"damaged-row","text":"row \"1\""}]})";

TEST(FsckJsonTest, AReportThereAndBack) {
  std::string text;
  AppendFsckReport(Report(), 42, &text);
  EXPECT_EQ(text, kReport);
  int64_t elapsed_ms = 0;
  const auto report = ParseFsckReport(text, &elapsed_ms);
  ASSERT_OK(report);
  EXPECT_EQ(elapsed_ms, 42);
  std::string again;
  AppendFsckReport(*report, elapsed_ms, &again);
  EXPECT_EQ(again, text);
}

TEST(FsckJsonTest, WastedUidsAreToldIfThereAreSome) {
  FsckReport report = Report();
  report.wasted_uids = 3;
  std::string text;

  AppendFsckReport(report, 42, &text);

  EXPECT_THAT(text, HasSubstr(R"("wasted_uids":3,)"));
  int64_t elapsed_ms = 0;
  EXPECT_EQ(ParseFsckReport(text, &elapsed_ms)->wasted_uids, 3U);
}

TEST(FsckJsonTest, RefusesWhatIsNone) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text(kReport);
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& text : {std::string("<html>"), std::string("{}"), with("\"ms\":42,", ""),
                                  with("\"fixed\":0", "\"fixed\":-1"),
                                  with("damaged-row", "damaged"), with("\"text\"", "\"texts\"")}) {
    int64_t elapsed_ms = 0;
    EXPECT_THAT(ParseFsckReport(text, &elapsed_ms),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected the report")))
        << text;
  }
}

}  // namespace
}  // namespace hourcell::fsck_json_test
