// tsd.forward between real servers: whatever happens to either, the other one has every
// acknowledged point in the end.

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/crash/kill_points.h"
#include "tests/http/inputs/peer_program.h"
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
    // In the second round the receiver is gone.
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

// The metrics of the server show the loss, and clients continue.
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

// A sample of /metrics; -1: missing.
int64_t SampleOf(uint16_t port, std::string_view name) {
  const std::string body = HttpCall(port, "GET", "/metrics").body;
  const size_t at = body.find(fmt::format("\n{} ", name));
  return at == std::string::npos ? -1 : std::strtoll(&body[at + name.size() + 2], nullptr, 10);
}

void WaitForSample(uint16_t port, std::string_view name, int64_t want) {
  for (int i = 0; i < 500 && SampleOf(port, name) < want; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(SampleOf(port, name), want) << name;
}

constexpr char kReturned[] = "hourcell_forward_points_total{type=\"returned\"}";
constexpr char kSent[] = "hourcell_forward_points_total{type=\"sent\"}";
constexpr char kPut[] = "hourcell_rpc_put_points_total";
constexpr char kPoint[] = R"({"metric":"m","timestamp":1356998400,"value":1,"tags":{"host":"a"}})";

// Points that a server sends to itself, or to one that sends to it, are stored once at each.
TEST(ForwardTest, APointDoesNotGoRound) {
  TempDir directory;
  const uint16_t ports[] = {FreePort(), FreePort()};
  const auto arguments = [&](uint16_t own, uint16_t other) {
    return std::vector<std::string>{"--set",
                                    fmt::format("tsd.network.listeners=127.0.0.1:{}=admin", own),
                                    "--set", fmt::format("tsd.forward=http://127.0.0.1:{}", other)};
  };
  const ServerProcess one(directory.file("one"), arguments(ports[0], ports[1]));
  const ServerProcess two(directory.file("two"), arguments(ports[1], ports[0]));
  ASSERT_EQ(HttpCall(one.port(), "POST", "/api/put", kPoint).status, 204);
  WaitForSample(two.port(), kReturned, 1);
  WaitForSample(one.port(), kSent, 1);
  EXPECT_EQ(SampleOf(one.port(), kPut), 1);
  EXPECT_EQ(SampleOf(two.port(), kPut), 1);
  EXPECT_EQ(SampleOf(one.port(), kReturned), 0);

  const uint16_t own = FreePort();
  const ServerProcess alone(directory.file("alone"), arguments(own, own));
  ASSERT_EQ(HttpCall(alone.port(), "POST", "/api/put", kPoint).status, 204);
  WaitForSample(alone.port(), kReturned, 1);
  EXPECT_EQ(SampleOf(alone.port(), kPut), 1);
}

// Until that many points were sent, or the server has ended.
void WaitUntilSent(uint16_t port, int64_t points) {
  for (int i = 0; i < 500; ++i) {
    const int64_t sent = SampleOf(port, kSent);
    if (sent == points || sent == -1) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

constexpr char kExponential[] =
    R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"lat","exponentialHistogram":{)"
    R"("aggregationTemporality":1,"dataPoints":[)"
    R"({"timeUnixNano":"1356998400000000000","count":"12","sum":31,"scale":3,"zeroCount":"2",)"
    R"("min":0,"max":6,"positive":{"offset":4,"bucketCounts":["3","0","1","5"]},)"
    R"("negative":{"offset":-2,"bucketCounts":["1"]}},)"
    R"({"timeUnixNano":"1356998401500000000","count":"4","sum":9,"scale":0,)"
    R"("positive":{"offset":0,"bucketCounts":["3","0","1"]}}]}}]}]}]})";

// With kExponential, of an answer to a query for percentiles of both.
std::string PercentilesOf(uint16_t port) {
  return HttpCall(port, "GET",
                  "/api/query?start=1356998000&end=1356999000&ms=true"
                  "&m=sum:percentiles[1,50,99.9]:lat&m=sum:1h-sum:percentiles[75]:lat")
      .body;
}

TEST(ForwardTest, ExponentialHistogramsHaveTheSamePercentilesAtBothServers) {
  TempDir directory;
  const ServerProcess target(directory.file("target"));
  const ServerProcess source(
      directory.file("source"),
      {"--set", fmt::format("tsd.forward=http://127.0.0.1:{}", target.port())});
  const HttpResult written = HttpCall(source.port(), "POST", "/v1/metrics", kExponential);
  ASSERT_EQ(written.status, 200);
  ASSERT_EQ(written.body, "{}");
  WaitForSample(source.port(), kSent, 2);

  const std::string percentiles = PercentilesOf(source.port());
  EXPECT_THAT(percentiles,
              AllOf(HasSubstr(R"("metric":"lat_pct_99.9")"), HasSubstr("\"1356998401500\":")));
  EXPECT_EQ(PercentilesOf(target.port()), percentiles);
  EXPECT_THAT(HttpCall(target.port(), "GET", "/api/suggest?type=metrics").body, R"(["lat"])");
}

class ForwardKillPointTest : public testing::TestWithParam<std::string> {};

TEST_P(ForwardKillPointTest, EveryAcknowledgedPointArrives) {
  TempDir directory;
  const ServerProcess target(directory.file("target"));
  const std::vector<std::string> forward = {
      "--set", fmt::format("tsd.forward=http://127.0.0.1:{}", target.port())};
  int points = 0;
  {
    ServerProcess source(directory.file("source"), forward, "HOURCELL_KILL_AT=" + GetParam());
    for (; source.port() != 0 && points < 1'000; ++points) {
      const std::string point =
          fmt::format(R"({{"metric":"m","timestamp":{},"value":1,"tags":{{"host":"a"}}}})",
                      1356998400 + points);
      if (HttpCall(source.port(), "POST", "/api/put", point).status != 204) break;
      // The forwarder saves a position for each request, which takes all points that have come
      // meanwhile.
      if (points % 50 == 49) WaitUntilSent(source.port(), points + 1);
    }
    EXPECT_EQ(source.Wait(), -SIGKILL);
  }
  const ServerProcess source(directory.file("source"), forward);
  // The one that was not acknowledged may arrive, too.
  const std::string some = points == 0 ? "none" : fmt::format("{}.0", points);
  const std::string all = fmt::format("{}.0", points + 1);
  const auto has_all = [&] {
    const std::string found = CountOf(target.port());
    return found == some || found == all;
  };
  for (int i = 0; i < 400 && !has_all(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));

  EXPECT_TRUE(has_all()) << points << " acknowledged, " << CountOf(target.port()) << " there";
  EXPECT_EQ(SampleOf(source.port(), "hourcell_forward_points_total{type=\"dropped\"}"), 0);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         ForwardKillPointTest,
                         testing::Values("spool:before_renamed",
                                         "spool:before_renamed#2",
                                         "spool:before_renamed#4",
                                         "spool:renamed",
                                         "spool:renamed#2",
                                         "spool:renamed#4"),
                         KillPointName);

}  // namespace
}  // namespace hourcell::forward_test
