// tsd.forward between real servers: whatever happens to either, the other one has every
// acknowledged point in the end.

#include <signal.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::forward_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

// How many points of m there are, by a query; as a float.
std::string CountOf(uint16_t port) {
  const HttpResult answer =
      HttpCall(port, "GET", "/api/query?start=1356998400&end=1357002000&m=sum:1h-count:m");
  const size_t begin = answer.body.find("\"1356998400\":");
  if (begin == std::string::npos) return "none";
  return answer.body.substr(begin + 13, answer.body.find('}', begin) - begin - 13);
}

TEST(ForwardTest, EveryAcknowledgedPointArrivesAfterAKill) {
  TempDir directory;
  auto target = std::make_unique<ServerProcess>(directory.file("target"));
  const std::string port = fmt::to_string(target->port());
  const std::vector<std::string> forward = {"--set", "tsd.forward=http://127.0.0.1:" + port};
  int points = 0;
  for (int round = 0; round < 3; ++round) {
    ServerProcess source(directory.file("source"), forward);
    for (int i = 0; i < 40; ++i, ++points) {
      const HttpResult put = HttpCall(
          source.port(), "POST", "/api/put",
          fmt::format(R"({{"metric":"m","timestamp":{},"value":{},"tags":{{"host":"a"}}}})",
                      1356998400 + points, points));
      ASSERT_EQ(put.status, 204);
    }
    SendLines(source.port(), fmt::format("put m {} 1 host=a\nversion\n", 1356998400 + points));
    ++points;
    EXPECT_EQ(source.End(SIGKILL), -SIGKILL);
    // In the second round there is nobody to send to.
    if (round == 0) {
      EXPECT_EQ(target->End(SIGKILL), -SIGKILL);
    }
    if (round == 1) {
      target = std::make_unique<ServerProcess>(
          directory.file("target"),
          std::vector<std::string>{"--set", "tsd.network.listeners=127.0.0.1:" + port + "=admin"});
      ASSERT_NE(target->port(), 0);
    }
  }
  ServerProcess source(directory.file("source"), forward);
  const std::string want = fmt::format("{}.0", points);
  for (int i = 0; i < 400 && CountOf(target->port()) != want; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));

  EXPECT_EQ(CountOf(target->port()), want);
  EXPECT_EQ(CountOf(source.port()), want);
}

// Whoever watches the server learns of it, and clients go on.
TEST(ForwardTest, PointsForWhichThereIsNoRoomAreNamed) {
  TempDir directory;
  const ServerProcess source(directory.file("source"), {"--set", "tsd.forward=http://127.0.0.1:1",
                                                        "--set", "tsd.forward.max_bytes=65536"});
  const std::string url = fmt::format("http://127.0.0.1:{}", source.port());
  for (int round = 0; round < 20; ++round) {
    std::string points;
    for (int i = 0; i < 1'000; ++i)
      points += fmt::format("m,host=a{} v={} {}\n", i, i * 1.37, 1356998400 + round);
    ASSERT_EQ(HttpCall(source.port(), "POST", "/write?precision=s", points).status, 204);
  }

  EXPECT_THAT(HttpCall(source.port(), "GET", "/metrics").body,
              AllOf(ContainsRegex("hourcell_forward_points_total.type=\"dropped\". [1-9]"),
                    HasSubstr("\nhourcell_forward_lag_seconds ")));
  const HttpResult ready = HttpCall(source.port(), "GET", "/readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_THAT(ready.body, HasSubstr("\nwarn   forward: "));
  const ProgramResult doctor = RunProgram({"doctor", "--url", url});
  EXPECT_EQ(doctor.exit_code, 1);
  EXPECT_THAT(doctor.out, ContainsRegex("\nchange  forward: [0-9]+ points were dropped"));
}

}  // namespace
}  // namespace hourcell::forward_test
