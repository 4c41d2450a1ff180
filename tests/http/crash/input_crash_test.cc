// C1 for every input. The store places no point of a request's second batch. The server
// acknowledges the request, kill -9 ends it, and the next server finds all points of the request.

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/inputs/point_batch.h"
#include "tests/http/budgets/work.h"
#include "tests/http/crash/kill_points.h"
#include "tests/http/inputs/peer_program.h"
#include "tests/http/server_process.h"
#include "tests/server/inputs/otlp/otlp_messages.h"
#include "tests/server/inputs/prometheus/prom_messages.h"
#include "tests/support/temp_dir.h"

namespace hourcell::input_crash_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kPoints = kBatchPoints;

// A server, its store and its ports, over several lives.
class Life {
 public:
  Life() = default;

  void Start(const std::string& environment = {}) {
    graphite_port_ = FreePort();
    statsd_port_ = FreePort();
    server_.emplace(directory_.path(),
                    std::vector<std::string>{
                        "--set", "tsd.storage.sync=always", "--set", "tsd.storage.ttl=86400",
                        "--set", fmt::format("tsd.graphite.port={}", graphite_port_), "--set",
                        fmt::format("tsd.statsd.port={}", statsd_port_), "--set",
                        fmt::format("tsd.statsd.flush={}", statsd_flush_s_)},
                    environment);
    EXPECT_NE(port(), 0);
  }
  int End(int signal) { return server_->End(signal); }
  int Wait() { return server_->Wait(); }
  bool HasEnded(int64_t within_ms) const { return server_->HasEnded(within_ms); }
  // From the next start on.
  void set_statsd_flush_s(int seconds) { statsd_flush_s_ = seconds; }

  uint16_t port() const { return server_->port(); }
  uint16_t graphite_port() const { return graphite_port_; }
  uint16_t statsd_port() const { return statsd_port_; }
  // The second of the first point: the last one is a little while ago.
  int64_t start_s() const { return start_s_; }

  // Points of metric in_m; -1 if the server does not answer.
  int64_t Count() const {
    const HttpResult result = HttpCall(
        port(), "GET", fmt::format("/api/query?start={}&m=sum:0all-count:in_m", start_s_ - 10));
    if (result.status != 200) return -1;
    const size_t at = result.body.find("\"dps\":{\"");
    if (at == std::string::npos) return 0;
    return std::atoll(result.body.c_str() + result.body.find(':', at + 7) + 1);
  }
  // Waits until the server has counted `points` stored points of the input; false: it never does,
  // or it has ended.
  bool WaitForStored(std::string_view type, int64_t points) const {
    const std::string line =
        fmt::format("hourcell_rpc_inputs_points_total{{type=\"{}\"}} {}\n", type, points);
    for (int i = 0; i < 3000; ++i) {
      const HttpResult metrics = HttpCall(port(), "GET", "/metrics");
      if (metrics.status == 0) return false;
      if (metrics.body.find(line) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  const int64_t start_s_ = std::time(nullptr) - kPoints - 60;
  TempDir directory_;
  uint16_t graphite_port_ = 0;
  uint16_t statsd_port_ = 0;
  int statsd_flush_s_ = 1;
  std::optional<ServerProcess> server_;
};

// A way in. Sends kPoints points of metric in_m, and one that has expired; true once the points are
// acknowledged, false if the server went away before that.
struct Input {
  std::string name;
  std::function<bool(const Life&)> send;
};
void PrintTo(const Input& input, std::ostream* out) {
  *out << input.name;
}

bool SendInflux(const Life& life) {
  std::string body;
  for (int64_t i = 0; i < kPoints; ++i)
    body += fmt::format("in,h=1 m={}i {}\n", i, life.start_s() + i);
  body += "in,h=1 m=1i 1000\n";
  const HttpResult result =
      HttpCall(life.port(), "POST", "/write?precision=s", body, "Content-Type: text/plain\r\n");
  return result.status == 204;
}

bool SendRemoteWrite(const Life& life) {
  PromTestSeries series{.labels = {{"__name__", "in_m"}, {"h", "1"}}};
  for (int64_t i = 0; i < kPoints; ++i)
    series.samples.push_back({static_cast<double>(i), (life.start_s() + i) * 1000});
  const PromTestSeries expired{.labels = {{"__name__", "in_m"}, {"h", "2"}},
                               .samples = {{1, 1'000'000}}};
  const HttpResult result =
      HttpCall(life.port(), "POST", "/api/v1/write",
               SnappyBlock(PromMessage(PromWriteVersion::k1, {series, expired})),
               "Content-Encoding: snappy\r\nContent-Type: application/x-protobuf\r\n"
               "X-Prometheus-Remote-Write-Version: 0.1.0\r\n");
  return result.status == 204;
}

bool SendOtlp(const Life& life) {
  std::string points;
  for (int64_t i = 0; i < kPoints; ++i) {
    points += fmt::format(R"({{"asInt":{},"timeUnixNano":"{}000000000"}},)", i, life.start_s() + i);
  }
  points += R"({"asInt":1,"timeUnixNano":"1000000000000"})";
  const HttpResult result =
      HttpCall(life.port(), "POST", "/v1/metrics", OtlpGaugeJson("in_m", points),
               "Content-Type: application/json\r\n");
  return result.status == 200;
}

// Lines are not answered: the server counts them when they are stored.
bool SendGraphite(const Life& life) {
  std::string lines;
  for (int64_t i = 0; i < kPoints; ++i)
    lines += fmt::format("in_m;h=1 {} {}\n", i, life.start_s() + i);
  lines += "in_m;h=1 1 1000\n";
  TcpClient client(life.graphite_port());
  return client.Send(lines) && life.WaitForStored("graphite", kPoints + 1);
}

// Points have the time of the flush, so each has another series, and none expires.
bool SendStatsd(const Life& life) {
  constexpr int64_t kLinesOfDatagram = 20;
  std::vector<std::string> datagrams;
  for (int64_t i = 0; i < kPoints; ++i) {
    if (i % kLinesOfDatagram == 0) datagrams.emplace_back();
    datagrams.back() += fmt::format("in_m:1|g|#h:{}\n", i);
  }
  SendByStatsd(life.statsd_port(), datagrams);
  return life.WaitForStored("statsd", kPoints);
}

std::string PutLinesOf(const Life& life, std::string_view command) {
  std::string lines;
  for (int64_t i = 0; i < kPoints; ++i)
    lines += fmt::format("{}in_m {} {} h=1\n", command, life.start_s() + i, i);
  return lines + fmt::format("{}in_m 1000 1 h=1\n", command);
}

bool SendTelnet(const Life& life) {
  const std::string answer = SendLines(life.port(), PutLinesOf(life, "put ") + "version\nexit\n");
  return answer.starts_with("hourcell");
}

bool SendPut(const Life& life) {
  std::string body = "[";
  for (int64_t i = 0; i < kPoints; ++i) {
    body += fmt::format(R"({{"metric":"in_m","timestamp":{},"value":{},"tags":{{"h":"1"}}}},)",
                        life.start_s() + i, i);
  }
  body += R"({"metric":"in_m","timestamp":1000,"value":1,"tags":{"h":"1"}}])";
  return HttpCall(life.port(), "POST", "/api/put", body).status == 204;
}

bool SendImport(const Life& life) {
  const ProgramResult result =
      RunProgram({"import", "--url", fmt::format("http://127.0.0.1:{}", life.port()), "-"},
                 PutLinesOf(life, ""));
  return result.exit_code == 0;
}

const std::vector<Input>& AllInputs() {
  static const std::vector<Input> inputs = {
      {"Influx", SendInflux}, {"RemoteWrite", SendRemoteWrite},
      {"Otlp", SendOtlp},     {"Graphite", SendGraphite},
      {"Statsd", SendStatsd}, {"Telnet", SendTelnet},
      {"Put", SendPut},       {"Import", SendImport}};
  return inputs;
}

class KilledAfterTheAnswerTest : public testing::TestWithParam<Input> {};

TEST_P(KilledAfterTheAnswerTest, EveryPointIsFound) {
  Life life;
  life.Start();
  ASSERT_TRUE(GetParam().send(life));
  EXPECT_EQ(life.End(SIGKILL), -SIGKILL);

  life.Start();
  EXPECT_EQ(life.Count(), kPoints);
}

INSTANTIATE_TEST_SUITE_P(Inputs,
                         KilledAfterTheAnswerTest,
                         testing::ValuesIn(AllInputs()),
                         [](const auto& param_info) { return param_info.param.name; });

// Inputs that use InputWriter. The process dies between two batches, or after the wait for all
// batches and before the answer.
class KilledInputTest : public KillPointTest {
 protected:
  // The server dies; `least` points are found. The same points are taken again.
  static void KillAndSendAgain(const Input& input, int64_t least) {
    SCOPED_TRACE(input.name);
    Life life;
    life.Start("HOURCELL_KILL_AT=" + GetParam());
    EXPECT_FALSE(input.send(life));
    EXPECT_EQ(HasFailure() ? life.End(SIGKILL) : life.Wait(), -SIGKILL);

    life.Start();
    const int64_t found = life.Count();
    EXPECT_GE(found, least);
    EXPECT_LE(found, kPoints);
    EXPECT_TRUE(input.send(life));
    EXPECT_EQ(life.Count(), kPoints);
    EXPECT_EQ(life.End(SIGTERM), 0);
  }
};

TEST_P(KilledInputTest, AcknowledgedPointsAreFound) {
  const bool is_acknowledged = GetParam() == "input:acknowledged";
  for (const Input& input : AllInputs()) {
    const bool is_one_request =
        input.name == "Influx" || input.name == "RemoteWrite" || input.name == "Otlp";
    // Lines come in pieces; the first piece is acknowledged alone.
    if (is_one_request) KillAndSendAgain(input, is_acknowledged ? kPoints : 0);
    if (input.name == "Graphite") KillAndSendAgain(input, is_acknowledged ? 1 : 0);
  }
}

// The points gathered from StatsD are written at the stop.
TEST_P(KilledInputTest, StatsdPointsAreFound) {
  Life life;
  life.set_statsd_flush_s(3600);
  life.Start("HOURCELL_KILL_AT=" + GetParam());
  std::vector<std::string> datagrams;
  for (int i = 0; i < 100; ++i)
    datagrams.push_back(fmt::format("in_m:1|g|#h:{}\n", i));
  SendByStatsd(life.statsd_port(), datagrams);
  EXPECT_EQ(life.End(SIGTERM), -SIGKILL);

  life.Start();
  if (GetParam() == "input:acknowledged") {
    EXPECT_EQ(life.Count(), 100);
  } else {
    EXPECT_LE(life.Count(), 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledInputTest,
                         testing::Values("input:batch", "input:acknowledged"),
                         KillPointName);

}  // namespace
}  // namespace hourcell::input_crash_test
