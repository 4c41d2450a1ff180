// `hourcell serve` itself: its messages, and its end.

#include <signal.h>

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::serve_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ServeProgramTest, SaysWhereItListensAndEndsCleanlyOnSigterm) {
  TempDir directory;
  ServerProcess server(directory.path());

  EXPECT_THAT(server.first_line(), HasSubstr("listening on 127.0.0.1:"));
  EXPECT_THAT(server.first_line(),
              HasSubstr("data in " + directory.path() + ", sync every 1000 ms"));
  EXPECT_EQ(server.End(SIGTERM), 0);
}

TEST(ServeProgramTest, NamesTheProcessThatHasTheStore) {
  TempDir directory;
  ServerProcess server(directory.path());

  const ProgramResult second = RunProgram({"scan", "--data", directory.path()});

  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("the store is in use by pid "));
  EXPECT_THAT(second.err, HasSubstr("serve --port 0"));
}

TEST(ServeProgramTest, AFlushedStoreReplaysNothingEvenAfterKillNine) {
  TempDir directory;
  {
    ServerProcess server(directory.path());
    SendLines(server.port(), "put m 1356998400 7 host=a\nput m 1357002000 8 host=a\n");
    const std::string url = fmt::format("http://127.0.0.1:{}", server.port());

    const ProgramResult flush = RunProgram({"store", "flush", "--url", url});

    EXPECT_EQ(flush.exit_code, 0) << flush.err;
    EXPECT_THAT(flush.out, StartsWith("flush: 2 hours sealed in "));
    EXPECT_EQ(server.End(SIGKILL), -SIGKILL);
  }

  ServerProcess server(directory.path());

  EXPECT_THAT(HttpCall(server.port(), "GET", "/stats").body,
              ContainsRegex("tsd.journal.replayed_points [0-9]+ 0 host="));
  EXPECT_THAT(
      HttpCall(server.port(), "GET", "/api/query?start=1356998400&end=1357002001&m=sum:m").body,
      HasSubstr(R"("dps":{"1356998400":7,"1357002000":8})"));
}

TEST(ServeProgramTest, ADeleteCanBeUndone) {
  constexpr const char* kPoints = "/api/query?start=1356998400&end=1356998401&m=none:m";
  constexpr const char* kNames = "/api/suggest?type=metrics&q=";
  TempDir directory;
  const std::vector<std::string> arguments = {"--set", "tsd.http.query.allow_delete=true"};
  std::string before;
  {
    ServerProcess server(directory.path(), arguments);
    SendLines(server.port(), "put m 1356998400 7 host=a\nput n 1356998400 8 host=a\n");
    before = HttpCall(server.port(), "GET", kPoints).body;
    EXPECT_THAT(before, HasSubstr("1356998400"));
    EXPECT_EQ(HttpCall(server.port(), "DELETE", std::string(kPoints) + "&counts").body,
              R"({"metrics":1,"series":1,"points":1,"undoId":1,"dryRun":false})");
    EXPECT_EQ(HttpCall(server.port(), "GET", kPoints).body, "[]");
    EXPECT_EQ(HttpCall(server.port(), "GET", kNames).body, R"(["n"])") << "at once";
    EXPECT_EQ(server.End(SIGKILL), -SIGKILL);
  }

  ServerProcess server(directory.path(), arguments);
  EXPECT_EQ(HttpCall(server.port(), "GET", kNames).body, R"(["n"])");
  EXPECT_EQ(HttpCall(server.port(), "POST", "/api/admin/undo?id=1&wait=true").status, 200);
  EXPECT_EQ(HttpCall(server.port(), "GET", kNames).body, R"(["m","n"])");
  EXPECT_EQ(HttpCall(server.port(), "GET", kPoints).body, before);
}

TEST(ServeProgramTest, AReadOnlyServerIsNotCompacted) {
  TempDir directory;
  ServerProcess server(directory.path(), {"--read-only"});

  const ProgramResult result =
      RunProgram({"store", "compact", "--url", fmt::format("http://127.0.0.1:{}", server.port())});

  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("404 Endpoint not found"));
}

TEST(ServeProgramTest, HelpSaysWhatIsAcknowledgedAndWhatThatSurvives) {
  const std::string serve = RunProgram({"serve", "--help"}).out;
  const std::string store = RunProgram({"help", "store"}).out;

  for (const std::string mode : {"never", "interval", "always"})
    EXPECT_THAT(serve, HasSubstr("  " + mode + " "));
  EXPECT_THAT(serve, HasSubstr("send version and wait"));
  for (const std::string action : {"seal", "flush", "compact"})
    EXPECT_THAT(store, HasSubstr("  " + action + " "));
  EXPECT_THAT(store, HasSubstr("backup"));
}

}  // namespace
}  // namespace hourcell::serve_test
