#include "server/cli/admin/job.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/cli/job_replies.h"
#include "tests/server/http/scripted_server.h"

namespace hourcell::job_test {
namespace {

using testing::HasSubstr;

TEST(JobCommandTest, ListsAndWaits) {
  CapturedTerminal terminal;
  ScriptedServer server(
      {{HttpReplyText(200, "{\"jobs\":[" + EndedJob(200, "{}") + "," + RunningJob(7) + "]}")},
       {HttpReplyText(200, "{\"jobs\":[]}")},
       {HttpReplyText(200, RunningJob(7))},
       {HttpReplyText(200, EndedJob(200, R"({"id":7,"to":"a b","more":[1,2]})"))},
       {HttpReplyText(200, EndedJob(503, "{}"))},
       {HttpReplyText(404, "none"), true},
       {HttpReplyText(200, "<html>")}});
  const auto run = [&](std::vector<std::string> words) {
    return RunJob({.url = server.url(), .words = std::move(words), .patience = kShort},
                  terminal.get());
  };

  EXPECT_EQ(run({}), kExitOk);
  EXPECT_EQ(terminal.out(), "3 backup done in 1 ms\n3 backup running in 1 ms, 7 bytes of 200\n");
  CapturedTerminal json;
  EXPECT_EQ(RunJob({.url = server.url(), .json = true, .patience = kShort}, json.get()), kExitOk);
  EXPECT_EQ(json.out(), "{\"jobs\":[]}\n");
  EXPECT_EQ(run({"3"}), kExitOk);
  EXPECT_THAT(terminal.out(), HasSubstr("job 3 is done\n  id: 7\n  to: a b\n  more: [1,2]\n"));
  EXPECT_EQ(run({"3"}), kExitFailure);
  EXPECT_EQ(run({"4"}), kExitFailure);
  EXPECT_EQ(run({}), kExitFailure);
  EXPECT_THAT(terminal.err(), HasSubstr("expected a list of jobs"));
  EXPECT_EQ(run({"x"}), kExitUsage);
  EXPECT_EQ(run({"1", "2"}), kExitUsage);
  EXPECT_EQ(RunJob({.words = {}}, terminal.get()), kExitUsage);
}

TEST(JobCommandTest, AServerWithoutJobsIsSaidToHaveNone) {
  CapturedTerminal terminal;
  ScriptedServer server({{HttpReplyText(200, "{\"jobs\":[]}")}});
  EXPECT_EQ(RunJob({.url = server.url(), .words = {}, .patience = kShort}, terminal.get()),
            kExitOk);
  EXPECT_EQ(terminal.out(), "");
  EXPECT_EQ(terminal.err(), "the server has no jobs\n");
}

TEST(JobCommandTest, TheAnswerOfAJobMayBeJson) {
  CapturedTerminal terminal;
  ScriptedServer server({{HttpReplyText(200, EndedJob(200, R"({"id":7})"))}});
  EXPECT_EQ(RunJob({.url = server.url(), .json = true, .words = {"3"}, .patience = kShort},
                   terminal.get()),
            kExitOk);
  EXPECT_EQ(terminal.out(), "{\"id\":7}\n");
}

}  // namespace
}  // namespace hourcell::job_test
