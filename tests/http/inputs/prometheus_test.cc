// The real Prometheus, of Debian's package: it writes what it scrapes of itself here by remote
// write, and answers PromQL over it by remote read.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::prometheus_test {
namespace {

using testing::HasSubstr;

constexpr const char* kProgram = "/usr/bin/prometheus";

// A port that is free now.
uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(fd);
  return ntohs(address.sin_port);
}

// Asks every 100 ms, for a minute at the most.
bool Eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 600; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

// A Prometheus with a store and a configuration of its own, which may name its port as {port}.
class Prometheus {
 public:
  Prometheus(const std::string& directory, std::string config) : port_(FreePort()) {
    constexpr std::string_view kPort = "{port}";
    if (const size_t at = config.find(kPort); at != config.npos)
      config.replace(at, kPort.size(), std::to_string(port_));
    const std::string file = directory + ".yml";
    std::ofstream(file) << config;
    std::vector<std::string> arguments = {kProgram, "--config.file=" + file,
                                          "--storage.tsdb.path=" + directory, "--log.level=warn",
                                          fmt::format("--web.listen-address=127.0.0.1:{}", port_)};
    std::vector<char*> pointers;
    for (std::string& argument : arguments)
      pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&pid_, kProgram, nullptr, nullptr, pointers.data(), environ), 0);
    EXPECT_TRUE(Eventually([&] { return HttpCall(port_, "GET", "/-/ready").status == 200; }));
  }
  ~Prometheus() { End(); }
  Prometheus(const Prometheus&) = delete;
  Prometheus& operator=(const Prometheus&) = delete;

  // It sends what it has not sent before it ends.
  void End() {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  // The answer to a query of PromQL, its text percent-encoded.
  std::string Query(std::string_view encoded) const {
    return HttpCall(port_, "GET", fmt::format("/api/v1/query?query={}", encoded)).body;
  }

 private:
  const uint16_t port_;
  pid_t pid_ = -1;
};

class PrometheusTest : public testing::Test {
 protected:
  void SetUp() override {
    if (access(kProgram, X_OK) != 0) {
      GTEST_SKIP() << "NOT TESTED: remote write and read with the real Prometheus: no " << kProgram
                   << "; `apt-get install prometheus` (group peers of scripts/packages)";
    }
  }
  TempDir directory_;
};

TEST_F(PrometheusTest, WhatItWritesIsStoredAndReadBack) {
  ServerProcess server(directory_.file("store"), {"--set", "tsd.core.tag.allow_specialchars=:"});
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

  // Another, which has nothing of its own.
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

}  // namespace
}  // namespace hourcell::prometheus_test
