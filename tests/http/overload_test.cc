// The real program with too little of something: file descriptors, memory for connections, time to
// stop.

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "tests/http/http_exchange.h"
#include "tests/http/load_writer.h"
#include "tests/http/server_process.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::overload_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Outcome = LoadWriter::Outcome;

constexpr std::string_view kVersion = "GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n";

bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

// Of a line of /stats; -1 if it is not there.
int64_t Stat(uint16_t port, std::string_view name, std::string_view tag) {
  const std::string text = HttpCall(port, "GET", "/stats").body;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(fmt::format("tsd.{} ", name))) continue;
    if (line.find(tag) == std::string::npos) continue;
    return std::strtoll(line.c_str() + line.find(' ', line.find(' ') + 1), nullptr, 10);
  }
  return -1;
}

// Sets the soft limit of another process; returns the old one.
rlim_t LimitDescriptors(pid_t pid, rlim_t limit) {
  rlimit before = {};
  HOURCELL_CHECK(prlimit(pid, RLIMIT_NOFILE, nullptr, &before) == 0);
  const rlimit now{.rlim_cur = limit, .rlim_max = before.rlim_max};
  HOURCELL_CHECK(prlimit(pid, RLIMIT_NOFILE, &now, nullptr) == 0);
  return before.rlim_cur;
}

// One more than the highest that is open: none of the same number or above can be opened.
rlim_t DescriptorsInUse(pid_t pid) {
  rlim_t highest = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid))) {
    highest = std::max<rlim_t>(highest, std::stoul(entry.path().filename()));
  }
  return highest + 1;
}

TEST(OverloadTest, WithoutFileDescriptorsItGoesOnAndRecovers) {
  const TempDir directory;
  ServerProcess server(directory.path(), {"--set", "tsd.storage.journal.segment=65536"});
  LoadWriter telnet(LoadWriter::Protocol::kTelnet, "t", 1);
  ASSERT_EQ(telnet.PutBatch(server.port(), /*series=*/20), Outcome::kAcknowledged);
  TcpClient http(server.port());
  ASSERT_EQ(Exchange(&http, kVersion).status, 200);
  const rlim_t before = LimitDescriptors(server.pid(), DescriptorsInUse(server.pid()));
  // Fills the gaps below the limit.
  std::vector<std::unique_ptr<TcpClient>> fillers;
  bool is_full = false;
  for (int i = 0; i < 2000 && !is_full; ++i) {
    auto filler = std::make_unique<TcpClient>(server.port());
    filler->Send("version\n");
    is_full = filler->ReadLines(1).empty();  // closed at once
    if (!is_full) fillers.push_back(std::move(filler));
  }
  ASSERT_TRUE(is_full);

  // Connected clients are served, except requests that open another file.
  EXPECT_EQ(Exchange(&http, kVersion).status, 200);
  EXPECT_THAT(
      Exchange(
          &http,
          "POST /api/admin/flush HTTP/1.1\r\nX-Requested-With: test\r\nContent-Length: 0\r\n\r\n")
          .body,
      HasSubstr("Too many open files"));
  EXPECT_EQ(Exchange(&http, "GET /api/query?start=1356998400&m=sum:t HTTP/1.1\r\n\r\n").status,
            200);
  const HttpResult put = Exchange(
      &http, WithBody("POST /api/put HTTP/1.1\r\n",
                      R"({"metric":"p","timestamp":1356998400,"value":1,"tags":{"a":"b"}})"));
  EXPECT_EQ(put.status, 503);
  EXPECT_EQ(HeaderOf(put, "retry-after"), "1");
  // A telnet sender is held back until there is room.
  Outcome held_back = Outcome::kWrong;
  std::jthread sender([&] { held_back = telnet.PutBatch(server.port(), /*series=*/20); });

  LimitDescriptors(server.pid(), before);
  sender.join();
  EXPECT_TRUE(held_back == Outcome::kAcknowledged || held_back == Outcome::kRefused)
      << telnet.fault();
  EXPECT_TRUE(Eventually([&] {
    return telnet.PutBatch(server.port(), /*series=*/20) == Outcome::kAcknowledged &&
           HttpCall(server.port(), "POST", "/api/admin/flush?wait").status == 200;
  })) << telnet.fault();
  EXPECT_GE(Stat(server.port(), "connectionmgr.rejected", "reason=descriptors"), 1);
  EXPECT_EQ(telnet.Settle(server.port()), "");
  EXPECT_EQ(server.End(SIGTERM), 0);
}

int64_t ResidentBytes(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtoll(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
}

// HOURCELL_IDLE_CONNECTIONS is how many.
TEST(OverloadTest, IdleConnectionsCostLittle) {
  const char* const text = std::getenv("HOURCELL_IDLE_CONNECTIONS");
  const int64_t count = text == nullptr ? 600 : std::strtoll(text, nullptr, 10);
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  const TempDir directory;
  ServerProcess server(directory.path());
  ASSERT_EQ(HttpCall(server.port(), "GET", "/api/version").status, 200);
  const int64_t before = ResidentBytes(server.pid());

  // A third sends nothing, a third has put a line, a third has sent an HTTP request.
  std::vector<std::unique_ptr<TcpClient>> clients;
  for (int64_t i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<TcpClient>(server.port()));
    TcpClient& client = *clients.back();
    if (i % 3 == 1) {
      client.Send("put idle 1356998400 1 a=b\nversion\n");
      ASSERT_THAT(client.ReadLines(2), StartsWith("hourcell")) << i;
    } else if (i % 3 == 2) {
      ASSERT_EQ(Exchange(&client, kVersion).status, 200) << i;
    }
  }
  ASSERT_TRUE(Eventually(
      [&] { return Stat(server.port(), "connectionmgr.connections", "type=open") >= count; }));

  const int64_t each = (ResidentBytes(server.pid()) - before) / count;
  fmt::print("{} idle connections take {} bytes each\n", count, each);
  if (!kIsSanitized) {
    EXPECT_LT(each, 8 * 1024);
  }
  EXPECT_EQ(HttpCall(server.port(), "GET", "/api/version").status, 200);
  clients.clear();
  EXPECT_TRUE(Eventually(
      [&] { return Stat(server.port(), "connectionmgr.connections", "type=open") <= 2; }));
  EXPECT_EQ(server.End(SIGTERM), 0);
}

TEST(OverloadTest, SigtermUnderLoadLosesNothingAcknowledged) {
  const TempDir directory;
  LoadWriter http(LoadWriter::Protocol::kHttp, "m", 1);
  LoadWriter telnet(LoadWriter::Protocol::kTelnet, "t", 2);
  {
    ServerProcess server(directory.path());
    const uint16_t port = server.port();
    std::jthread http_thread([&] { http.Run(port, /*series=*/20); });
    std::jthread telnet_thread([&] { telnet.Run(port, /*series=*/20); });
    ASSERT_TRUE(
        Eventually([&] { return http.acknowledged() >= 20 && telnet.acknowledged() >= 20; }));

    EXPECT_EQ(server.End(SIGTERM), 0);
  }

  ServerProcess server(directory.path());
  EXPECT_EQ(http.Settle(server.port()), "");
  EXPECT_EQ(telnet.Settle(server.port()), "");
  EXPECT_EQ(server.End(SIGTERM), 0);
}

TEST(OverloadTest, ASecondSigtermEndsTheDrain) {
  const TempDir directory;
  ServerProcess server(directory.path(), {"--set", "tsd.network.drain_timeout=3600"});
  std::string lines;
  for (int i = 0; i < 100'000; ++i) {
    fmt::format_to(std::back_inserter(lines), "put m {} {} host=h{}\n", 1356998400 + i / 500 * 10,
                   1'000'000'000'000 + i, i % 500);
  }
  ASSERT_EQ(SendLines(server.port(), lines), "");
  TcpClient reader(server.port());  // that does not read
  reader.Send(
      "GET /api/query?start=1356998400&m=none:m&m=sum:m{host=*}&m=min:m{host=*}&m=max:m{host=*}"
      "&m=avg:m{host=*}&m=count:m{host=*}&m=zimsum:m{host=*}&m=mimmin:m{host=*}"
      "&m=mimmax:m{host=*}&m=dev:m{host=*}&m=first:m{host=*}&m=last:m{host=*} HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(
      Eventually([&] { return Stat(server.port(), "query.queries", "type=running") == 1; }));
  TcpClient idle(server.port());

  ASSERT_EQ(kill(server.pid(), SIGTERM), 0);
  EXPECT_EQ(idle.ReadToEnd(), "");  // it drains

  EXPECT_EQ(server.End(SIGTERM), 0);
}

}  // namespace
}  // namespace hourcell::overload_test
