#include "tests/http/budgets/work.h"

#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/http_exchange.h"
#include "tests/http/server_process.h"

namespace hourcell {
namespace {

constexpr size_t kSeriesCount = 1000;
constexpr size_t kPointsOfBody = 50;
constexpr int64_t kFirstS = 1704067200;  // a full hour
constexpr int64_t kPointEveryS = 10;
constexpr size_t kLinesOfVersion = 2;

int64_t TimeOf(size_t point) {
  return kFirstS + static_cast<int64_t>(point / kSeriesCount) * kPointEveryS;
}

// Walks within 0..100 as gauges do.
size_t ValueOf(size_t point) {
  return (point / kSeriesCount * 7 + point) % 100;
}

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

void Ask(uint16_t port, std::string_view target, int status, size_t times) {
  TcpClient client(port);
  const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
  for (size_t i = 0; i < times; ++i) {
    const HttpResult result = Exchange(&client, request);
    ASSERT_EQ(result.status, status) << target << ": " << result.body;
  }
}

}  // namespace hourcell
