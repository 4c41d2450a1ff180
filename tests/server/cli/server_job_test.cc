#include "server/cli/server_job.h"

#include <signal.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/cli/job_replies.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"

namespace hourcell::server_job_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::SizeIs;
using testing::StartsWith;

class ServerJobTest : public testing::Test {
 protected:
  absl::StatusOr<HttpReply> Run(const ScriptedServer& server) {
    return RunServerJob(*ParseHttpUrl(server.url()), "/api/admin/backup", "", terminal_.get(),
                        kShort);
  }
  CapturedTerminal terminal_;
};

TEST_F(ServerJobTest, IsBegunAndAskedForUntilItsEnd) {
  ScriptedServer server({{HttpReplyText(202, RunningJob(0))},
                         {HttpReplyText(200, RunningJob(100))},
                         {HttpReplyText(200, EndedJob(200, R"({"id":7})"))}});

  const auto reply = Run(server);

  ASSERT_OK(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, R"({"id":7})");
  EXPECT_THAT(server.requests()[0], StartsWith("POST /api/admin/backup?async&key="));
  EXPECT_THAT(server.requests()[1], StartsWith("GET /api/admin/jobs?id=3 HTTP/1.1\r\n"));
  EXPECT_THAT(server.requests()[2], StartsWith("GET /api/admin/jobs?id=3 HTTP/1.1\r\n"));
  EXPECT_EQ(terminal_.out(), "");
}

TEST_F(ServerJobTest, ProgressGoesToTheTerminal) {
  ScriptedServer server({{HttpReplyText(202, RunningJob(0))},
                         {HttpReplyText(200, RunningJob(50))},
                         {HttpReplyText(200, EndedJob(200, "{}"))}});
  terminal_.get().is_tty = true;

  ASSERT_OK(Run(server));

  EXPECT_THAT(terminal_.err(), HasSubstr("\rbackup: copy 50 of 200 bytes (25 %), 0 s"));
}

TEST_F(ServerJobTest, AFailedJobIsItsStatusAndWords) {
  ScriptedServer server(
      {{HttpReplyText(202, RunningJob(0))},
       {HttpReplyText(200, EndedJob(503, R"({"error":{"code":503,"message":"disk full"}})"))}});

  const auto reply = Run(server);

  ASSERT_OK(reply);
  EXPECT_EQ(reply->status, 503);
  EXPECT_EQ(HttpErrorText(*reply), "503 disk full");
}

// A server that begins no job says so at once; one of before jobs answers when it is done.
TEST_F(ServerJobTest, OtherAnswersAreThemselves) {
  ScriptedServer server({{HttpReplyText(409, "busy")}, {HttpReplyText(200, "{}")}});

  EXPECT_EQ(Run(server)->status, 409);
  EXPECT_EQ(Run(server)->status, 200);
}

// The job outlasts the time a reply may take, and a connection is lost.
TEST_F(ServerJobTest, SilenceAndLostConnectionsAreSurvived) {
  ScriptedServer server({{"", true},  // the POST arrived, its answer did not
                         {HttpReplyText(202, RunningJob(0))},
                         {""},  // nothing comes within the timeout
                         {"", true},
                         {HttpReplyText(200, EndedJob(200, "{}"))}});

  const auto reply = Run(server);

  ASSERT_OK(reply);
  EXPECT_EQ(reply->status, 200);
  const std::vector<std::string> requests = server.requests();
  ASSERT_THAT(requests, SizeIs(5));
  EXPECT_EQ(requests[0], requests[1]);  // with the same key
}

TEST_F(ServerJobTest, AServerThatStaysSilentIsGivenUpWithAWord) {
  ScriptedServer server(
      {{HttpReplyText(202, RunningJob(0)), true}, {"", true}, {"", true}, {"", true}, {"", true}});

  EXPECT_THAT(Run(server),
              StatusIs(StatusCode::kUnavailable,
                       MatchesRegex(".*; the server continues job 3; run 'hourcell job 3 --url "
                                    "http://127.0.0.1:[0-9]+' to wait for it")));
}

TEST_F(ServerJobTest, AServerThatWasStartedAgainHasOtherJobs) {
  ScriptedServer again(
      {{HttpReplyText(202, RunningJob(0))}, {HttpReplyText(200, RunningJob(0, 99))}});
  EXPECT_THAT(Run(again),
              StatusIs(StatusCode::kUnavailable, HasSubstr("the server was restarted")));

  ScriptedServer none({{HttpReplyText(202, RunningJob(0))}, {HttpReplyText(404, "gone")}});
  EXPECT_EQ(Run(none)->status, 404);
}

TEST_F(ServerJobTest, NonsenseIsRefused) {
  ScriptedServer server({{HttpReplyText(202, "<html>")}});

  EXPECT_THAT(Run(server), StatusIs(StatusCode::kUnavailable, HasSubstr("expected a job")));
}

TEST_F(ServerJobTest, NoServerIsToldAtOnce) {
  const HttpUrl nobody{.host = "127.0.0.1", .port = "1"};

  EXPECT_THAT(RunServerJob(nobody, "/api/admin/flush", "", terminal_.get(), kShort),
              StatusIs(StatusCode::kUnavailable, HasSubstr("connect")));
}

TEST_F(ServerJobTest, AnInterruptedToolSaysHowToLookAgain) {
  // The tool exits while its other threads are there, which ThreadSanitizer takes for leaked ones.
  if (kIsThreadSanitized) GTEST_SKIP() << "exit() with threads";
  // In a new process: threads of other tests may be there, and a fork has none of them.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto interrupt = [this] {
    ScriptedServer server({{HttpReplyText(202, RunningJob(0))}, {""}});
    std::thread killer([&server] {
      while (server.requests().size() < 2)
        std::this_thread::yield();
      ::kill(::getpid(), SIGINT);
    });
    Run(server).IgnoreError();
    killer.join();
  };

  EXPECT_EXIT(interrupt(), testing::ExitedWithCode(130),
              "the server continues job 3; run 'hourcell job 3 --url http://127.0.0.1:");
}

}  // namespace
}  // namespace hourcell::server_job_test
