// `hourcell serve` itself: its messages, and its end.

#include <signal.h>

#include <string>

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
