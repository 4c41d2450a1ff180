#include "server/fsck_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell {
namespace {

using testing::HasSubstr;

FsckRun DoneRun() {
  FsckRun run{.id = 3,
              .state = FsckState::kDone,
              .started_ms = 1356998400000,
              .elapsed_ms = 42,
              .phase = "journal",
              .rows = 5,
              .points = 6};
  run.report.rows = 5;
  run.report.points = 6;
  run.report.journal_points = 7;
  run.report.Add(FsckFault::kDamagedRow, "row \"1\"", 1);
  run.report.Add(FsckFault::kDamagedRow, "row 2", 1);
  return run;
}

constexpr std::string_view kReport =
    R"({"rows":5,"points":6,"annotations":0,"series":0,"mappings":0,"regions":0,)"
    R"("journal_blocks":0,"journal_points":7,"ms":42,"fixed":0,"faults":{"damaged-row":2},)"
    R"("examples":[{"fault":"damaged-row","text":"row \"1\""}]})";

TEST(FsckJsonTest, PrintsAReport) {
  std::string text;
  AppendFsckReport(DoneRun().report, 42, &text);
  EXPECT_EQ(text, kReport);
}

TEST(FsckJsonTest, ARunThereAndBack) {
  std::string text;
  AppendFsckRun(DoneRun(), &text);
  EXPECT_EQ(text, R"({"id":3,"state":"done","started_ms":1356998400000,"ms":42,"phase":"journal",)"
                  R"("rows":5,"points":6,"report":)" +
                      std::string(kReport) + "}");
  const auto run = ParseFsckRun(text);
  ASSERT_OK(run);
  std::string again;
  AppendFsckRun(*run, &again);
  EXPECT_EQ(again, text);
}

TEST(FsckJsonTest, OneThatIsNotDoneHasNoReport) {
  FsckRun run{.id = 1, .state = FsckState::kFailed, .error = "a disk"};
  std::string text;
  AppendFsckRun(run, &text);
  EXPECT_THAT(text, HasSubstr(R"("state":"failed")"));
  EXPECT_THAT(text, HasSubstr(R"("error":"a disk"})"));
  EXPECT_EQ(ParseFsckRun(text)->error, "a disk");
}

TEST(FsckJsonTest, RefusesWhatIsNone) {
  std::string good;
  AppendFsckRun(DoneRun(), &good);
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& text :
       {std::string("<html>"), std::string("{}"), with("\"done\"", "\"gone\""),
        with("\"report\"", "\"reports\""), with("\"fixed\":0", "\"fixed\":-1"),
        with("damaged-row", "damaged"), with("\"text\"", "\"texts\"")})
    EXPECT_THAT(ParseFsckRun(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("want an object")))
        << text;
}

}  // namespace
}  // namespace hourcell
