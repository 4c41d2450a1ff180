// The real Prometheus, of Debian's package: it scrapes itself, writes the samples here by remote
// write, and answers PromQL over these by remote read.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/inputs/peer_program.h"
#include "tests/http/inputs/prometheus_program.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::prometheus_test {
namespace {

using testing::HasSubstr;

class PrometheusTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!IsInstalled(kPrometheusProgram)) {
      GTEST_SKIP() << "NOT TESTED: remote write and read with the real Prometheus: no "
                   << kPrometheusProgram
                   << "; `apt-get install prometheus` (group peers of scripts/packages)";
    }
  }
  TempDir directory_;
};

TEST_F(PrometheusTest, WhatItWritesIsStoredAndReadBack) {
  ServerProcess server(directory_.file("store"));
  const std::string url = fmt::format("http://127.0.0.1:{}/api/v1", server.port());
  const auto stored = [&] {
    return HttpCall(server.port(), "GET", "/api/query?start=1h-ago&m=none:up%7Bjob=self%7D").body;
  };
  {
    Prometheus writer(directory_.file("writer"),
                      fmt::format("global: {{scrape_interval: 1s}}\n"
                                  "scrape_configs:\n"
                                  "  - job_name: self\n"
                                  "    static_configs: [{{targets: ['127.0.0.1:{{port}}']}}]\n"
                                  "remote_write:\n"
                                  "  - url: {}/write\n"
                                  "    queue_config: {{batch_send_deadline: 500ms}}\n",
                                  url));
    ASSERT_TRUE(Eventually([&] {
      const std::string answer = stored();
      const size_t dps = answer.find("\"dps\":{");
      // Three points at least.
      return dps != answer.npos && std::ranges::count(answer.substr(dps), ',') >= 2;
    })) << stored();
    EXPECT_THAT(stored(), HasSubstr(R"("instance":"127.0.0.1:)"));
  }
  EXPECT_THAT(HttpCall(server.port(), "GET", "/metrics").body,
              HasSubstr("hourcell_rpc_put_errors_total{reason=\"illegal_argument\"} 0\n"));

  // Another one, without local data.
  const Prometheus reader(
      directory_.file("reader"),
      fmt::format("remote_read:\n  - url: {}/read\n    read_recent: true\n", url));
  EXPECT_THAT(reader.Query("count_over_time(up%7Bjob=%22self%22%7D%5B1h%5D)%3E=bool%203"),
              HasSubstr(R"(,"1"]}]})"));
  EXPECT_THAT(reader.Query("min_over_time(up%7Bjob=~%22se.f%22,instance!=%22x%22%7D%5B1h%5D)"),
              HasSubstr(R"("job":"self"},"value":)"));
  EXPECT_THAT(reader.Query("count(%7B__name__=~%22go_.*%22%7D)%3Ebool%2020"),
              HasSubstr(R"(,"1"]}]})"));
  EXPECT_THAT(reader.Query("up%7Bjob=%22nosuch%22%7D"), HasSubstr(R"("result":[])"));
}

TEST_F(PrometheusTest, MetadataThatItSendsIsAnsweredAsItAnswers) {
  auto server = std::make_unique<ServerProcess>(directory_.file("store"));
  Prometheus writer(directory_.file("writer"),
                    fmt::format("global: {{scrape_interval: 1s}}\n"
                                "scrape_configs:\n"
                                "  - job_name: self\n"
                                "    static_configs: [{{targets: ['127.0.0.1:{{port}}']}}]\n"
                                "remote_write:\n"
                                "  - url: http://127.0.0.1:{}/api/v1/write\n"
                                "    metadata_config: {{send: true, send_interval: 1s}}\n",
                                server->port()));
  const auto answer = [](uint16_t port, std::string_view params) {
    return HttpCall(port, "GET", fmt::format("/api/v1/metadata{}", params)).body;
  };
  const auto are_alike = [&](std::string_view params) {
    return Eventually([&] {
      const std::string theirs = answer(writer.port(), params);
      return theirs.find("\"type\":") != theirs.npos && answer(server->port(), params) == theirs;
    });
  };

  EXPECT_TRUE(are_alike("?metric=go_goroutines")) << answer(server->port(), "");
  EXPECT_TRUE(are_alike("?metric=prometheus_http_request_duration_seconds"));
  EXPECT_TRUE(are_alike("")) << answer(server->port(), "") << answer(writer.port(), "");
  for (const std::string_view params :
       {"?metric=up", "?metric=nosuch", "?limit=0", "?limit=x", "?metric=go_goroutines&limit=-1"})
    EXPECT_EQ(answer(server->port(), params), answer(writer.port(), params)) << params;

  const std::string before = answer(server->port(), "");
  server->End(SIGKILL);
  server = std::make_unique<ServerProcess>(directory_.file("store"));
  EXPECT_EQ(answer(server->port(), ""), before);
}

bool IsNumber(const std::string& answer) {
  return answer.find("\"value\":") != answer.npos && answer.find("NaN") == answer.npos;
}

TEST_F(PrometheusTest, ReadBackEqualsWhatWasWritten) {
  ServerProcess server(directory_.file("store"));
  const std::string url = fmt::format("http://127.0.0.1:{}/api/v1", server.port());
  auto other = std::make_unique<Prometheus>(directory_.file("other"), "global: {}\n");
  const std::string read =
      fmt::format("remote_read:\n  - url: {}/read\n    read_recent: true\n", url);
  const Prometheus writer(directory_.file("writer"),
                          fmt::format("global: {{scrape_interval: 1s}}\n"
                                      "scrape_configs:\n"
                                      "  - job_name: self\n"
                                      "    static_configs: [{{targets: ['127.0.0.1:{{port}}']}}]\n"
                                      "  - job_name: other\n"
                                      "    static_configs: [{{targets: ['127.0.0.1:{}']}}]\n"
                                      "remote_write:\n"
                                      "  - url: {}/write\n"
                                      "    queue_config: {{batch_send_deadline: 500ms}}\n",
                                      other->port(), url) +
                              read);
  const Prometheus reader(directory_.file("reader"), read);
  const std::string one = R"(,"1"]}]})";
  const auto both_say_one = [&](const std::string& query) {
    return Eventually([&] {
      const std::string encoded = Encoded(query);
      return writer.Query(encoded).find(one) != std::string::npos &&
             reader.Query(encoded).find(one) != std::string::npos;
    });
  };

  EXPECT_TRUE(both_say_one("count(go_goroutines{job=\"other\"})"));
  EXPECT_TRUE(both_say_one("count(up{job=\"self\"})")) << writer.Query(Encoded("up"));
  EXPECT_TRUE(both_say_one("count(up{instance=~\"127.0.0.1:.*\",job=\"self\"})"));

  const std::string quantile = Encoded(
      "histogram_quantile(0.5, sum by (le) "
      "(prometheus_http_request_duration_seconds_bucket{job=\"self\"}))");
  const std::string written = writer.Query("time()");
  const size_t begin = written.find("\"result\":[") + 10;
  const std::string at = written.substr(begin, written.find(',', begin) - begin);
  const std::string query = quantile + "&time=" + at;
  EXPECT_TRUE(Eventually([&] {
    const std::string answer = reader.Query(query);
    return IsNumber(answer) && answer == writer.Query(query);
  })) << writer.Query(query)
      << reader.Query(query);

  // A target that is gone ends its series at once.
  other.reset();
  EXPECT_TRUE(both_say_one("absent(go_goroutines{job=\"other\"})"))
      << reader.Query(Encoded("go_goroutines"));
  EXPECT_TRUE(both_say_one("count(up{job=\"other\"} == 0)"));
}

// Its rules read points from a server and write their results there, so that PromQL and `m=` have
// these as any others.
TEST_F(PrometheusTest, ItsRulesAreEvaluatedOverAServer) {
  ServerProcess server(directory_.file("store"));
  const std::string url = fmt::format("http://127.0.0.1:{}/api/v1", server.port());
  const auto put = [&](std::string_view host, int value) {
    const std::string body =
        fmt::format(R"({{"metric":"disk.used","timestamp":{},"value":{},"tags":{{"host":"{}"}}}})",
                    std::time(nullptr), value, host);
    EXPECT_EQ(HttpCall(server.port(), "POST", "/api/put", body).status, 204);
  };
  put("a", 70);
  put("b", 95);
  const std::string rules = directory_.file("rules.yml");
  std::ofstream(rules) << "groups:\n"
                          "  - name: disks\n"
                          "    interval: 1s\n"
                          "    rules:\n"
                          "      - record: all:disk_used:sum\n"
                          "        expr: sum(disk_used)\n"
                          "      - alert: DiskFull\n"
                          "        expr: disk_used > 90\n";
  const Prometheus evaluator(directory_.file("evaluator"),
                             fmt::format("rule_files: ['{0}']\n"
                                         "remote_read:\n  - url: {1}/read\n    read_recent: true\n"
                                         "remote_write:\n  - url: {1}/write\n"
                                         "    queue_config: {{batch_send_deadline: 500ms}}\n",
                                         rules, url));
  const auto answer = [&](std::string_view query) {
    return HttpCall(server.port(), "GET", "/api/v1/query?query=" + Encoded(query)).body;
  };

  EXPECT_TRUE(Eventually([&] {
    return answer("all:disk_used:sum").find(R"(,"165"])") != std::string::npos;
  })) << answer("all:disk_used:sum");
  EXPECT_TRUE(Eventually([&] {
    return answer("ALERTS{alertstate=\"firing\"}").find(R"("host":"b"},"value")") !=
           std::string::npos;
  })) << answer("ALERTS");
  EXPECT_THAT(answer("count(ALERTS)"), HasSubstr(R"(,"1"]}]})"));
  EXPECT_THAT(
      HttpCall(server.port(), "GET", "/api/query?start=1h-ago&m=none:%22all:disk_used:sum%22").body,
      HasSubstr(R"("metric":"all:disk_used:sum")"));
}

}  // namespace
}  // namespace hourcell::prometheus_test
