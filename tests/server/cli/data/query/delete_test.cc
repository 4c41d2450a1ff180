#include "server/cli/data/query/delete.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/cli/data/import/import.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace hourcell::delete_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class DeleteTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteFile(dir_.file("in"),
              "cpu 1356998400 1.5 host=a dc=x\n"
              "cpu 1356998460 2.25 host=a dc=x\n"
              "mem 1356998460 7 host=a\n"
              "cpu 1356998400 10 host=b dc=x\n");
    CapturedTerminal terminal;
    ASSERT_EQ(RunImport({.store = store(), .paths = {dir_.file("in")}}, terminal.get()), kExitOk);
  }
  StoreOptions store() const { return {.data = dir_.file("store"), .settings = settings_}; }

  // Runs the command and returns its output.
  std::string Delete(DeleteOptions options) {
    CapturedTerminal terminal{1357002000000};
    options.store = store();
    EXPECT_EQ(RunDelete(options, terminal.get()), kExitOk) << terminal.err();
    return terminal.out();
  }

  TempDir dir_;
  std::vector<std::string> settings_;
  CapturedTerminal terminal_{1357002000000};
};

TEST_F(DeleteTest, ADryRunPrintsWhatADeleteThenDeletes) {
  DeleteOptions options{.dry_run = true, .words = {"2013/01/01"}, .m_texts = {"{}{host=a}"}};
  EXPECT_EQ(Delete(options), "2 series and 3 points of 2 metrics found.\n");
  EXPECT_EQ(Delete(options), "2 series and 3 points of 2 metrics found.\n");
  options.dry_run = false;
  EXPECT_EQ(Delete(options),
            "2 series and 3 points of 2 metrics deleted.\nTo undo: hourcell undo 1\n");
  EXPECT_THAT(Delete(options), StartsWith("0 series and 0 points of 0 metrics deleted.\n"));
}

TEST_F(DeleteTest, WithoutATimeOfUndoPointsAreRemovedAtOnce) {
  settings_ = {"tsd.storage.undo=0"};
  const DeleteOptions options{.words = {"2013/01/01"}, .m_texts = {"{}{host=a}"}};
  EXPECT_EQ(Delete(options), "2 series and 3 points of 2 metrics deleted.\n");
  EXPECT_EQ(Delete(options), "0 series and 0 points of 0 metrics deleted.\n");
}

TEST_F(DeleteTest, TakesMetricsAndARange) {
  EXPECT_EQ(Delete({.json = true,
                    .words = {"1356998400", "1356998430"},
                    .m_texts = {"none:cpu{host=a}", "none:cpu{host=b}"}}),
            R"({"metrics":2,"series":2,"points":2,"undoId":1,"dryRun":false})"
            "\n");
}

TEST_F(DeleteTest, AServerGetsTheSelectionAndItsCountsArePrinted) {
  ScriptedServer server(
      {{HttpReplyText(200, R"({"metrics":2,"series":5,"points":90,"dryRun":true})")}});

  EXPECT_EQ(Delete({.url = server.url(),
                    .dry_run = true,
                    .words = {"100", "1356998460"},
                    .m_texts = {"{}{host=a}"}}),
            "5 series and 90 points of 2 metrics found.\n");

  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_THAT(
      server.requests()[0],
      AllOf(StartsWith("DELETE /api/query?start=100000ms&end=1356998460000ms&counts&dry_run"),
            HasSubstr("&m=" + EscapeParam("{}{host=a}") + " HTTP/1.1")));
}

TEST_F(DeleteTest, AServersErrorIsPrinted) {
  ScriptedServer server({{HttpReplyText(400, R"({"error":{"code":400,"message":"No such"}})")}});
  EXPECT_EQ(
      RunDelete({.url = server.url(), .words = {"1"}, .m_texts = {"{host=a}"}}, terminal_.get()),
      kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("400 No such"));
}

TEST_F(DeleteTest, InvalidArgumentsAreAUsageErrorAndDeleteNothing) {
  const std::vector<DeleteOptions> invalid = {
      {.words = {}, .m_texts = {"{host=a}"}},
      {.words = {"1"}},
      {.words = {"1", "2", "cpu"}, .m_texts = {"{host=a}"}},
      {.words = {"1"}, .m_texts = {"{}"}},
      {.words = {"1"}, .m_texts = {"cpu"}},
  };
  for (DeleteOptions options : invalid) {
    options.store = store();
    EXPECT_EQ(RunDelete(options, terminal_.get()), kExitUsage);
  }
  EXPECT_THAT(terminal_.err(), HasSubstr("expected a metric, or tags such as {}{host=web01}"));
  EXPECT_EQ(Delete({.dry_run = true, .words = {"1"}, .m_texts = {"{host=*}"}}),
            "3 series and 4 points of 2 metrics found.\n");
}

}  // namespace
}  // namespace hourcell::delete_test
