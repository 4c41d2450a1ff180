#include "server/cli/lab/html_report.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::html_report_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

plot::Figure Bars(const std::string& title) {
  return {.kind = plot::FigureKind::kBars,
          .title = title,
          .x = {.categories = {"a"}},
          .series = {{.name = "s", .y = {1}}}};
}

TEST(HtmlReportTest, HasSectionsNotesTablesAndCharts) {
  const auto page =
      HtmlPage("Title", "Intro",
               {{.title = "First",
                 .intro = "About",
                 .notes = {{.text = "bad", .is_warning = true}, {.text = "good"}},
                 .figures = {Bars("Chart")},
                 .tables = {{.caption = "Table", .heads = {"name", "n"}, .rows = {{"x", "1"}}}}}});
  ASSERT_OK(page);
  EXPECT_THAT(*page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(*page, HasSubstr("<h1>Title</h1>\n<p>Intro</p>"));
  EXPECT_THAT(*page, HasSubstr("<h2>First</h2>\n<p>About</p>"));
  EXPECT_THAT(*page, HasSubstr("<li class=\"warning\">bad</li>\n<li>good</li>"));
  EXPECT_THAT(*page, HasSubstr("<tr><td class=\"text\">x</td><td>1</td></tr>"));
  EXPECT_THAT(*page, HasSubstr(">Chart</text>"));
}

TEST(HtmlReportTest, NothingIsLoadedAndNoTextIsMarkup) {
  const std::string evil = "<script>alert(1)</script>";
  const auto page = HtmlPage(evil, evil,
                             {{.title = evil,
                               .notes = {{.text = evil}},
                               .figures = {Bars(evil)},
                               .tables = {{.caption = evil, .heads = {evil}, .rows = {{evil}}}}}});
  ASSERT_OK(page);
  EXPECT_THAT(*page, Not(HasSubstr("<script")));
  EXPECT_THAT(*page, HasSubstr("default-src 'none'; style-src 'unsafe-inline'"));
  EXPECT_THAT(*page, HasSubstr("prefers-color-scheme: dark"));
  for (const char* const link : {"src=", "href=", "url(", "@import"})
    EXPECT_THAT(*page, Not(HasSubstr(link)));
}

TEST(HtmlReportTest, AFigureThatCannotBeDrawnIsAnError) {
  EXPECT_THAT(HtmlPage("", "", {{.title = "x", .figures = {plot::Figure()}}}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(HtmlReportTest, IsWrittenToAFile) {
  const TempDir dir;
  EXPECT_OK(WriteHtml("page", dir.file("a.html")));
  EXPECT_EQ(ReadFile(dir.file("a.html")), "page");
  EXPECT_THAT(WriteHtml("page", dir.file("no/a.html")),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no/a.html")));
}

}  // namespace
}  // namespace hourcell::html_report_test
