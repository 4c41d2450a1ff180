#include "tests/http/budgets/work.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "tests/http/http_exchange.h"
#include "tests/http/server_process.h"
#include "tests/server/inputs/prometheus/prom_messages.h"

namespace hourcell {
namespace {

constexpr size_t kSeriesCount = 1000;
constexpr size_t kPointsOfBody = 50;
constexpr size_t kPointsOfAgentsBody = 500;  // as telegraf and Prometheus send about
constexpr int64_t kFirstS = 1704067200;      // a full hour
constexpr int64_t kPointEveryS = 10;
constexpr size_t kLinesOfVersion = 2;

int64_t TimeOf(size_t point) {
  return kFirstS + static_cast<int64_t>(point / kSeriesCount) * kPointEveryS;
}

// Walks within 0..100 as gauges do.
size_t ValueOf(size_t point) {
  return (point / kSeriesCount * 7 + point) % 100;
}

constexpr std::string_view kFiveMetrics[] = {"cpu.usage_system", "cpu.usage_idle", "cpu.usage_nice",
                                             "cpu.usage_iowait", "cpu.usage_irq"};

std::string BodyOf(size_t first) {
  std::string body = "[";
  for (size_t point = first; point < first + kPointsOfBody; ++point) {
    const size_t series = point % kSeriesCount;
    body += fmt::format(R"({}{{"metric":"cpu.usage_user","timestamp":{},"value":{},)"
                        R"("tags":{{"host":"host_{}","region":"eu-west-1","rack":"{}"}}}})",
                        point == first ? "" : ",", TimeOf(point), ValueOf(point), series % 100,
                        series / 100);
  }
  return body + "]";
}

// The same series by the same names, with tags in the same order.
std::string InfluxBodyOf(size_t first) {
  std::string body;
  for (size_t point = first; point < first + kPointsOfAgentsBody; ++point) {
    const size_t series = point % kSeriesCount;
    body += fmt::format("cpu.usage,host=host_{},region=eu-west-1,rack={} user={}i {}000000000\n",
                        series % 100, series / 100, ValueOf(point), TimeOf(point));
  }
  return body;
}

std::string RemoteWriteBodyOf(size_t first) {
  std::vector<PromTestSeries> message;
  for (size_t point = first; point < first + kPointsOfAgentsBody; ++point) {
    const size_t series = point % kSeriesCount;
    message.push_back({.labels = {{"__name__", "cpu.usage_user"},
                                  {"host", fmt::format("host_{}", series % 100)},
                                  {"region", "eu-west-1"},
                                  {"rack", fmt::format("{}", series / 100)}},
                       .samples = {{static_cast<double>(ValueOf(point)), TimeOf(point) * 1000}}});
  }
  return SnappyBlock(PromMessage(PromWriteVersion::k1, message));
}

// OpenTelemetry's JSON, a resource with one gauge whose points have the other tags.
std::string OtlpBodyOf(size_t first) {
  std::string body =
      R"({"resourceMetrics":[{"resource":{"attributes":[]},"scopeMetrics":[{"metrics":[)"
      R"({"name":"cpu.usage_user","gauge":{"dataPoints":[)";
  const auto attribute = [](std::string_view key, const std::string& value) {
    return fmt::format(R"({{"key":"{}","value":{{"stringValue":"{}"}}}})", key, value);
  };
  for (size_t point = first; point < first + kPointsOfAgentsBody; ++point) {
    const size_t series = point % kSeriesCount;
    body += fmt::format(
        R"({}{{"timeUnixNano":"{}000000000","asInt":"{}","attributes":[{},{},{}]}})",
        point == first ? "" : ",", TimeOf(point), ValueOf(point),
        attribute("host", fmt::format("host_{}", series % 100)), attribute("region", "eu-west-1"),
        attribute("rack", fmt::format("{}", series / 100)));
  }
  return body + "]}}]}]}]}";
}

// The system's record of the port of a UDP socket.
struct UdpQueue {
  uint64_t bytes = 0;  // not read yet
  uint64_t drops = 0;
};

// A line of /proc/net/udp: "<slot>: <address>:<port> <peer> <state> <sent>:<queued> ... <drops>",
// the port and the bytes in hexadecimal.
std::optional<UdpQueue> UdpQueueOf(uint16_t port) {
  std::ifstream table("/proc/net/udp");
  const std::string wanted = fmt::format(":{:04X}", port);
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    if (fields.size() < 13 || !fields[1].ends_with(wanted)) continue;
    const std::string queued = fields[4].substr(fields[4].find(':') + 1);
    return UdpQueue{.bytes = std::stoull(queued, nullptr, 16), .drops = std::stoull(fields[12])};
  }
  return std::nullopt;
}

// Returns after a minute at the latest.
void WaitUntilRead(uint16_t port) {
  const int64_t end_ms = Clock::System()->MonotonicMs() + 60'000;
  while (Clock::System()->MonotonicMs() < end_ms) {
    const std::optional<UdpQueue> queue = UdpQueueOf(port);
    if (!queue.has_value() || queue->bytes == 0) return;
    std::this_thread::yield();
  }
}

// `head` without the length; each body is acknowledged before the next by this status.
void PostAll(uint16_t port,
             std::string_view head,
             size_t first,
             size_t points,
             std::string (*body_of)(size_t first),
             int status = 204) {
  TcpClient client(port);
  const size_t begin = first * kSeriesCount;
  for (size_t point = begin; point < begin + points; point += kPointsOfAgentsBody) {
    const HttpResult result = Exchange(&client, WithBody(head, body_of(point)));
    ASSERT_EQ(result.status, status) << result.body;
  }
}

void Administer(uint16_t port, std::string_view job) {
  TcpClient client(port);
  const HttpResult result =
      Exchange(&client, fmt::format("POST /api/admin/{} HTTP/1.1\r\nHost: localhost\r\n"
                                    "X-Requested-With: a test\r\nContent-Length: 0\r\n\r\n",
                                    job));
  ASSERT_EQ(result.status, 200) << result.body;
}

}  // namespace

std::string PutLines(size_t first, size_t points) {
  std::string lines;
  for (size_t point = first * kSeriesCount; point < first * kSeriesCount + points; ++point) {
    const size_t series = point % kSeriesCount;
    lines += fmt::format("put cpu.usage_user {} {} host=host_{} region=eu-west-1 rack={}\n",
                         TimeOf(point), ValueOf(point), series % 100, series / 100);
  }
  return lines;
}

std::string FiveMetricLines() {
  std::string lines;
  for (const std::string_view metric : kFiveMetrics) {
    for (size_t point = 0; point < 400; ++point) {
      lines += fmt::format("put {} {} {} host=host_{}\n", metric,
                           kFirstS + static_cast<int64_t>(point / 10) * kPointEveryS,
                           ValueOf(point), point % 10);
    }
  }
  return lines;
}

void SealAll(uint16_t port) {
  Administer(port, "seal");
}

void SealAndFlush(uint16_t port) {
  SealAll(port);
  Administer(port, "flush");
}

std::vector<QueryKind> QueryKinds() {
  const std::string hour = "/api/query?start=1704067200&end=1704070799";
  const std::string user = hour + "&m=max:1m-max:cpu.usage_user{";
  std::string five = hour;
  for (const std::string_view metric : kFiveMetrics)
    five += fmt::format("&m=max:1m-max:{}{{host=host_7}}", metric);
  return {
      {"one series", user + "host=host_7,rack=1}", 200, 1'000, 1'000},
      {"eight series",
       user + "rack=1,host=host_1|host_2|host_3|host_4|host_5|host_6|host_7|host_8}", 200, 400, 0},
      {"five metrics", five, 200, 0, 400},
      {"wide group-by", hour + "&m=avg:1h-avg:cpu.usage_user{host=*}", 200, 0, 50},
      {"refused", "/api/query?start=1704067200&m=nosuch:cpu.usage_user", 400, 3'000, 0},
      {"unknown name", "/api/query?start=1704067200&m=sum:cpu.nosuch", 400, 3'000, 0},
  };
}

void PutByTelnet(uint16_t port, std::string_view lines) {
  TcpClient client(port);
  EXPECT_TRUE(client.Send(lines));
  EXPECT_TRUE(client.Send("version\n"));
  EXPECT_THAT(client.ReadLines(kLinesOfVersion), testing::StartsWith("hourcell"));
}

void PutAhead(TcpClient* client, pid_t server, std::string_view lines) {
  ASSERT_EQ(kill(server, SIGSTOP), 0);
  EXPECT_TRUE(client->Send(lines));
  EXPECT_TRUE(client->Send("version\n"));
  ASSERT_EQ(kill(server, SIGCONT), 0);
  EXPECT_THAT(client->ReadLines(kLinesOfVersion), testing::StartsWith("hourcell"));
}

void PutByHttp(uint16_t port, size_t first, size_t points) {
  TcpClient client(port);
  const size_t begin = first * kSeriesCount;
  for (size_t point = begin; point < begin + points; point += kPointsOfBody) {
    const HttpResult result =
        Exchange(&client, WithBody("POST /api/put HTTP/1.1\r\nHost: localhost\r\n"
                                   "Content-Type: application/json\r\n",
                                   BodyOf(point)));
    ASSERT_EQ(result.status, 204) << result.body;
  }
}

void PutByInflux(uint16_t port, size_t first, size_t points) {
  PostAll(port, "POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n", first,
          points, &InfluxBodyOf);
}

void PutByRemoteWrite(uint16_t port, size_t first, size_t points) {
  PostAll(port,
          "POST /api/v1/write HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: snappy\r\n"
          "Content-Type: application/x-protobuf\r\n",
          first, points, &RemoteWriteBodyOf);
}

std::vector<EmptyBody> EmptyBodies() {
  constexpr size_t kBytes = size_t{1} << 20;
  const auto repeat = [](std::string_view unit, std::string_view begin = "",
                         std::string_view end = "") {
    std::string body(begin);
    while (body.size() + unit.size() + end.size() <= kBytes)
      body += unit;
    return body.append(end);
  };
  const auto post = [](std::string_view path, std::string_view type) {
    return fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {}\r\n", path, type);
  };
  const std::string otlp = post("/v1/metrics", "application/json");
  const std::string gauge =
      R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[)";
  const std::string end = "]}}]}]}]}";
  const std::string empty_messages = repeat(std::string_view("\x0a\x00", 2));
  return {
      {"empty influx", post("/write", "text/plain"), repeat("x\n")},
      {"empty series", post("/api/v1/write", "application/x-protobuf"), empty_messages},
      {"empty otlp", post("/v1/metrics", "application/x-protobuf"), empty_messages, 200},
      {"empty otlp json", otlp, repeat("{},", gauge, "{}" + end), 200},
      {"bucket counts", otlp, repeat("1,", gauge + R"({"bucketCounts":[)", "1]}" + end), 200},
      {"empty put", post("/api/put", "application/json"), repeat("{},", "[", "{}]")},
  };
}

void PostEmptyBody(uint16_t port, const EmptyBody& empty, size_t times) {
  TcpClient client(port);
  for (size_t i = 0; i < times; ++i) {
    const HttpResult result = Exchange(&client, WithBody(empty.head, empty.body));
    ASSERT_EQ(result.status, empty.status) << empty.name << ": " << result.body;
  }
}

void PutByOtlp(uint16_t port, size_t first, size_t points) {
  PostAll(port,
          "POST /v1/metrics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n",
          first, points, &OtlpBodyOf, 200);
}

std::string GraphiteLines(size_t first, size_t points) {
  std::string lines;
  for (size_t point = first * kSeriesCount; point < first * kSeriesCount + points; ++point) {
    const size_t series = point % kSeriesCount;
    lines += fmt::format("cpu.usage_user;host=host_{};region=eu-west-1;rack={} {} {}\n",
                         series % 100, series / 100, ValueOf(point), TimeOf(point));
  }
  return lines;
}

void PutByGraphite(uint16_t port, std::string_view lines) {
  TcpClient client(port);
  EXPECT_TRUE(client.Send(lines));
  client.ShutdownWrite();
  EXPECT_EQ(client.ReadToEnd(), "");
}

std::vector<std::string> StatsdDatagrams(size_t steps) {
  constexpr size_t kLinesOfDatagram = 20;
  constexpr std::string_view kTypes[] = {"c", "g", "ms", "c|@0.5"};
  std::vector<std::string> datagrams;
  for (size_t line = 0; line < steps * kSeriesCount; ++line) {
    const size_t series = line % kSeriesCount;
    if (line % kLinesOfDatagram == 0) datagrams.emplace_back();
    datagrams.back() +=
        fmt::format("cpu.usage_{0}:{1}|{2}|#host:host_{3},region:eu-west-1,rack:{4}\n",
                    kTypes[series % 4].substr(0, 1), ValueOf(line), kTypes[series % 4],
                    series % 100, series / 100);
  }
  return datagrams;
}

void SendByStatsd(uint16_t port, const std::vector<std::string>& datagrams) {
  constexpr size_t kAtOnce = 20;  // a socket's buffer has room for a hundred
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (size_t i = 0; i < datagrams.size(); ++i) {
    const std::string& bytes = datagrams[i];
    EXPECT_EQ(
        sendto(socket, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&to), sizeof(to)),
        static_cast<ssize_t>(bytes.size()));
    if (i % kAtOnce == kAtOnce - 1 || i + 1 == datagrams.size()) WaitUntilRead(port);
  }
  ::close(socket);
  const std::optional<UdpQueue> queue = UdpQueueOf(port);
  ASSERT_TRUE(queue.has_value());
  EXPECT_EQ(queue->bytes, 0U);
  EXPECT_EQ(queue->drops, 0U);
}

void Ask(uint16_t port, std::string_view target, int status, size_t times) {
  TcpClient client(port);
  const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
  for (size_t i = 0; i < times; ++i) {
    const HttpResult result = Exchange(&client, request);
    ASSERT_EQ(result.status, status) << target << ": " << result.body;
  }
}

QueryReads ReadsOf(uint16_t port, std::string_view target) {
  TcpClient client(port);
  const HttpResult result =
      Exchange(&client, fmt::format("GET {}&explain HTTP/1.1\r\nHost: localhost\r\n\r\n", target));
  EXPECT_EQ(result.status, 200) << result.body;
  simdjson::dom::parser parser;
  const simdjson::padded_string body(result.body);
  QueryReads reads;
  for (const simdjson::dom::element part : parser.parse(body)) {
    simdjson::dom::array plans;
    if (part["explain"].get(plans) != simdjson::SUCCESS) continue;
    for (const simdjson::dom::element plan : plans) {
      reads.rows += uint64_t(plan["rows"]);
      reads.blocks += uint64_t(plan["blocksCached"]) + uint64_t(plan["blocksRead"]);
      reads.cells += uint64_t(plan["cells"]);
    }
  }
  return reads;
}

}  // namespace hourcell
