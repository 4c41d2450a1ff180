// C1: what was acknowledged is found after kill -9. White box: at every kill point, whatever was
// being done is done or not done, and the store opens and works.

#include <signal.h>

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using testing::HasSubstr;

std::string PutBody(int first, int count) {
  std::string body = "[";
  for (int i = first; i < first + count; ++i) {
    body += fmt::format(R"({}{{"metric":"m","timestamp":{},"value":{},"tags":{{"host":"h{}"}}}})",
                        i == first ? "" : ",", 1356998400 + i, i, i % 7);
  }
  return body + "]";
}

// The points of metric m, counted by a query; -1 if the query fails.
int CountPoints(uint16_t port) {
  const HttpResult result =
      HttpCall(port, "GET", "/api/query?start=1356998400&end=1357084800&m=sum:0all-count:m");
  if (result.status != 200) return -1;
  const size_t at = result.body.find("\"1356998400\":");
  return at == std::string::npos ? -1 : std::atoi(result.body.c_str() + at + 13);
}

TEST(CrashTest, EveryPointIsThereAfterKillNineTenTimesInARow) {
  TempDir directory;
  int acknowledged = 0;
  for (int round = 0; round < 10; ++round) {
    ServerProcess server(directory.path());
    ASSERT_NE(server.port(), 0);
    if (round > 0) {
      ASSERT_EQ(CountPoints(server.port()), acknowledged) << "round " << round;
    }

    const HttpResult put = HttpCall(server.port(), "POST", "/api/put", PutBody(acknowledged, 500));
    ASSERT_EQ(put.status, 204);
    acknowledged += 500;

    EXPECT_EQ(server.End(SIGKILL), -SIGKILL);
  }
  ServerProcess server(directory.path());
  EXPECT_EQ(CountPoints(server.port()), acknowledged);
}

TEST(CrashTest, TelnetPutsBeforeABarrierSurvive) {
  TempDir directory;
  {
    ServerProcess server(directory.path(), {"--set", "tsd.storage.sync=never"});
    TcpClient client(server.port());
    std::string lines;
    for (int i = 0; i < 5000; ++i)
      lines += fmt::format("put m {} {} host=h\n", 1356998400 + i, i);
    client.Send(lines + "version\n");
    EXPECT_THAT(client.ReadLines(1), HasSubstr("hourcell"));
    server.End(SIGKILL);
  }

  ServerProcess server(directory.path());

  EXPECT_EQ(CountPoints(server.port()), 5000);
}

// Kill points in the program; compiled in with HOURCELL_KILL_POINTS only.
class KillPointTest : public testing::TestWithParam<std::string> {};

TEST_P(KillPointTest, TheStoreOpensAndKeepsWhatWasAcknowledged) {
#ifndef HOURCELL_KILL_POINTS
  GTEST_SKIP() << "built without HOURCELL_KILL_POINTS";
#endif
  TempDir directory;
  int acknowledged = 0;
  {
    ServerProcess server(directory.path(), {}, "HOURCELL_KILL_AT=" + GetParam());
    while (server.port() != 0) {
      const HttpResult put = HttpCall(server.port(), "POST", "/api/put", PutBody(acknowledged, 1));
      if (put.status != 204) break;
      ASSERT_LT(++acknowledged, 100) << "never passed the kill point";
    }
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }

  ServerProcess server(directory.path());
  ASSERT_NE(server.port(), 0);
  const int found = acknowledged == 0 ? 0 : CountPoints(server.port());
  EXPECT_GE(found, acknowledged);
  EXPECT_LE(found, acknowledged + 1);  // the one in flight may be there or not

  const HttpResult put = HttpCall(server.port(), "POST", "/api/put", PutBody(0, 500));
  EXPECT_EQ(put.status, 204);
  EXPECT_EQ(CountPoints(server.port()), 500);
  EXPECT_EQ(server.End(SIGTERM), 0);
  const ProgramResult fsck = RunProgram({"uid", "fsck", "--data", directory.path()});
  EXPECT_EQ(fsck.exit_code, 0) << fsck.out << fsck.err;
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KillPointTest,
                         testing::Values("create:tables",
                                         "create:meta",
                                         "series:before_commit",
                                         "series:after_commit",
                                         "series:before_commit#3",
                                         "series:after_commit#7",
                                         "append:applied",
                                         "append:applied#20"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           for (char& c : name) {
                             if (!isalnum(static_cast<unsigned char>(c))) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace hourcell
