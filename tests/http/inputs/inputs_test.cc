// Points in other formats, as docs/inputs.md shows them, to the real program.

#include <signal.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/http_exchange.h"
#include "tests/http/server_process.h"
#include "tests/server/inputs/otlp/otlp_messages.h"
#include "tests/server/inputs/prometheus/prom_messages.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"

namespace hourcell::inputs_test {
namespace {

using testing::HasSubstr;

// The commands of a page that begin with curl.
std::vector<std::string> CurlCommands(const std::string& page) {
  std::ifstream file(SourcePath(page));
  std::vector<std::string> commands;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("curl ")) commands.push_back(line);
  }
  return commands;
}

// Runs a command of the page against a server; the status that it is answered with.
std::string StatusOf(std::string command, uint16_t port) {
  constexpr std::string_view kPort = ":4242";
  command.replace(command.find(kPort), kPort.size(), fmt::format(":{}", port));
  command += " -s -o /dev/null -w '%{http_code}'";
  FILE* const pipe = popen(command.c_str(), "r");  // NOLINT: the page's own commands
  std::string status;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    status.push_back(static_cast<char>(c));
  EXPECT_EQ(pclose(pipe), 0) << command;
  return status;
}

std::string Points(uint16_t port, std::string_view metric) {
  return HttpCall(port, "GET",
                  fmt::format("/api/query?start=1356998000&end=1356999000&m=none:{}", metric))
      .body;
}

TEST(InputsTest, TheCommandsOfThePageAreAnsweredAsItSays) {
  TempDir directory;
  ServerProcess server(directory.path());
  const std::vector<std::string> commands = CurlCommands("docs/inputs.md");
  ASSERT_GE(commands.size(), 2U);

  for (const std::string& command : commands)
    EXPECT_EQ(StatusOf(command, server.port()), "204") << command;

  EXPECT_THAT(Points(server.port(), "cpu_user"),
              HasSubstr(R"("tags":{"host":"web01"},"aggregateTags":[],)"
                        R"("dps":{"1356998400":1.5,"1356998410":2.5})"));
  EXPECT_THAT(Points(server.port(), "cpu_procs"), HasSubstr(R"("dps":{"1356998400":7})"));
}

// The requests of telegraf's plugin, but for the measurements: CREATE DATABASE, then points in
// gzip.
TEST(InputsTest, WhatTelegrafSendsIsStoredAndSurvivesKillNine) {
  TempDir directory;
  {
    ServerProcess server(directory.path());
    TcpClient client(server.port());
    EXPECT_EQ(Exchange(&client, WithBody("POST /query HTTP/1.1\r\nHost: localhost\r\n"
                                         "User-Agent: Telegraf/1.30.0 Go/1.22.2\r\n"
                                         "Content-Type: application/x-www-form-urlencoded\r\n",
                                         "q=CREATE+DATABASE+%22telegraf%22"))
                  .body,
              R"({"results":[{"statement_id":0}]})");
    EXPECT_EQ(Exchange(&client, WithBody("POST /write?consistency=any&db=telegraf HTTP/1.1\r\n"
                                         "Host: localhost\r\n"
                                         "User-Agent: Telegraf/1.30.0 Go/1.22.2\r\n"
                                         "Content-Type: text/plain; charset=utf-8\r\n",
                                         "cpu,cpu=cpu-total,host=web01 usage_idle=97.5,usage_user=1"
                                         " 1356998400000000000\n"
                                         "system,host=web01 uptime=5i,uptime_format=\"0:01\""
                                         " 1356998400000000000\n"))
                  .status,
              204);
    server.End(SIGKILL);
  }
  ServerProcess server(directory.path());
  EXPECT_THAT(Points(server.port(), "cpu_usage_idle"), HasSubstr(R"("1356998400":97.5)"));
  EXPECT_THAT(Points(server.port(), "system_uptime"), HasSubstr(R"("1356998400":5)"));
}

TEST(InputsTest, ABodyOfManyLinesIsAnsweredByAThreadThatMayWait) {
  TempDir directory;
  ServerProcess server(directory.path());
  std::string body;
  for (int i = 0; i < 100'000; ++i)
    body += fmt::format("m,series={} v={}i {}\n", i % 100, i, 1356998000 + i / 100);

  const HttpResult result =
      HttpCall(server.port(), "POST", "/write?precision=s", body, "Content-Type: text/plain\r\n");

  EXPECT_EQ(result.status, 204) << result.body;
  EXPECT_THAT(HttpCall(server.port(), "GET", "/metrics").body,
              HasSubstr("hourcell_rpc_inputs_points_total{type=\"influx\"} 100000\n"));
}

TEST(InputsTest, RemoteWriteOfBothVersionsIsStored) {
  TempDir directory;
  ServerProcess server(directory.path());
  const auto write = [&](PromWriteVersion version, std::string_view job, std::string_view type) {
    const std::string message =
        PromMessage(version, {{.labels = {{"__name__", "up"}, {"job", std::string(job)}},
                               .samples = {{1, 1'356'998'400'000}}}});
    return HttpCall(server.port(), "POST", "/api/v1/write", SnappyBlock(message),
                    fmt::format("Content-Encoding: snappy\r\nContent-Type: {}\r\n"
                                "X-Prometheus-Remote-Write-Version: 0.1.0\r\n",
                                type));
  };

  EXPECT_EQ(write(PromWriteVersion::k1, "a", "application/x-protobuf").status, 204);
  const HttpResult of_2 = write(PromWriteVersion::k2, "b",
                                "application/x-protobuf;proto=io.prometheus.write.v2.Request");
  EXPECT_EQ(of_2.status, 204);
  EXPECT_THAT(of_2.headers, HasSubstr("X-Prometheus-Remote-Write-Samples-Written: 1"));
  EXPECT_EQ(HttpCall(server.port(), "POST", "/api/v1/write", "no block",
                     "Content-Encoding: snappy\r\nContent-Type: application/x-protobuf\r\n")
                .status,
            400);

  EXPECT_THAT(Points(server.port(), "up"), HasSubstr(R"("tags":{"job":"a"})"));
  EXPECT_THAT(Points(server.port(), "up"), HasSubstr(R"("tags":{"job":"b"})"));
}

TEST(InputsTest, WhatAnOpenTelemetryCollectorSendsIsStoredAndSurvivesKillNine) {
  TempDir directory;
  {
    ServerProcess server(directory.path());
    for (const auto& [type, body] :
         {std::pair("application/x-protobuf", OtlpSampleProtobuf()),
          std::pair("application/json",
                    OtlpGaugeJson("queue", R"({"asInt":"7",)"
                                           R"("timeUnixNano":"1356998400000000000"})"))}) {
      const HttpResult result = HttpCall(server.port(), "POST", "/v1/metrics", body,
                                         fmt::format("Content-Type: {}\r\n", type));
      EXPECT_EQ(result.status, 200) << result.body;
    }
    server.End(SIGKILL);
  }

  ServerProcess server(directory.path());
  EXPECT_THAT(Points(server.port(), "temperature"), HasSubstr("21.5"));
  EXPECT_THAT(Points(server.port(), "requests"), HasSubstr(R"("method":"GET")"));
  EXPECT_THAT(Points(server.port(), "queue"), HasSubstr(R"("1356998400":7)"));
}

}  // namespace
}  // namespace hourcell::inputs_test
