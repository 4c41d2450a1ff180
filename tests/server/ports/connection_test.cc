#include "server/ports/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "server/api/http_context.h"
#include "server/api/routes.h"
#include "server/config/config.h"
#include "server/net/asio.h"
#include "server/ports/listener.h"
#include "server/ports/reactors.h"
#include "server/telnet/line_protocol.h"
#include "server/telnet/telnet_session.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::connection_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A blocking client. Receiving gives up after 60 s.
class Client {
 public:
  explicit Client(uint16_t port, int receive_bytes = 0) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    HOURCELL_CHECK(fd_ >= 0);
    if (receive_bytes > 0) {
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    }
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    HOURCELL_CHECK(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  ~Client() {
    if (fd_ >= 0) close(fd_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void Send(std::string_view bytes) {
    HOURCELL_CHECK(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                   static_cast<ssize_t>(bytes.size()));
  }
  void EndInput() { shutdown(fd_, SHUT_WR); }
  void Reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(std::exchange(fd_, -1));
  }

  // Up to a line end, or the server's close.
  std::string ReadLine() {
    std::string line;
    for (char c = 0; c != '\n' && recv(fd_, &c, 1, 0) == 1;)
      line += c;
    return line;
  }

  // Everything up to the server's close.
  std::string ReadAll() {
    std::string all;
    char buffer[4096];
    for (ssize_t size = 0; (size = recv(fd_, buffer, sizeof buffer, 0)) > 0;)
      all.append(buffer, static_cast<size_t>(size));
    return all;
  }

 private:
  int fd_;
};

// Connections served by one thread, to a store that the test controls.
class ConnectionTest : public testing::Test {
 protected:
  void SetUp() override {
    Options options;
    options.path = dir_.file("store");
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
    telnet_counters_.emplace(&tsdb_->stats());
    counters_.emplace(&tsdb_->stats());
    telnet_.clock = Clock::System();
    telnet_.append = [this](std::span<const LinePoint> points, std::vector<RefusedPoint>* refused) {
      refused->clear();
      appends_.fetch_add(1);
      while (is_held_)
        std::this_thread::yield();
      for (size_t i = 0; is_full_ && i < points.size(); ++i) {
        refused->push_back(
            {.index = i, .error = {.kind = PointErrorKind::kThrottled, .text = "full"}});
      }
      return CommitTicket();
    };
  }

  uint16_t Start() {
    http_.pools.workers = &pool_;
    http_.counters = &*counters_;
    telnet_context_ = {.tsdb = tsdb_.get(),
                       .settings = &telnet_,
                       .counters = &*telnet_counters_,
                       .commit_pool = &pool_};
    context_.http = &http_;
    context_.telnet = &telnet_context_;
    context_.counters = &*counters_;
    auto socket = ListenSocket::Open({});
    HOURCELL_CHECK(socket.ok());
    listener_ = Listener::Open(*std::move(socket), {}, &reactors_, &context_, &tsdb_->stats());
    reactors_.Start();
    return listener_->port();
  }

  void TearDown() override {
    if (listener_ != nullptr) listener_->Stop(/*grace_ms=*/1000);
    pool_.pool.join();
    reactors_.Stop();
  }

  TempDir dir_;
  std::unique_ptr<Tsdb> tsdb_;
  std::atomic<bool> is_full_ = false;
  std::atomic<bool> is_held_ = false;
  std::atomic<int> appends_ = 0;
  TelnetSettings telnet_;
  std::optional<TelnetCounters> telnet_counters_;
  std::optional<ConnectionCounters> counters_;
  HttpContext http_;
  TelnetContext telnet_context_;
  ConnectionContext context_;
  Reactors reactors_{1};
  WorkerPool pool_{1};
  std::unique_ptr<Listener> listener_;
};

TEST_F(ConnectionTest, AFullStoreStopsOnlyWhoSends) {
  is_full_ = true;
  const uint16_t port = Start();
  Client sender(port);
  Client other(port);
  sender.Send("put m 1 1 a=b\nversion\n");
  while (appends_ < 2)
    std::this_thread::yield();

  other.Send("version\n");
  EXPECT_THAT(other.ReadLine(), StartsWith("hourcell"));

  is_full_ = false;
  EXPECT_THAT(sender.ReadLine(), StartsWith("hourcell"));
  EXPECT_EQ(telnet_counters_->points->value(), 1U);
}

// All that the client sends is read, so that no reset overtakes the last reply.
TEST_F(ConnectionTest, WhatComesAfterTheEndIsReadAndDropped) {
  Client client(Start());
  client.Send("put m 1 1 a=b\nexit\n");
  EXPECT_EQ(client.ReadLine(), "") << "the server's end";
  const uint64_t bytes = counters_->bytes_in->value();

  client.Send("put m 1 1 a=b\n");

  while (counters_->bytes_in->value() == bytes)
    std::this_thread::yield();
  client.EndInput();
  listener_->Stop(/*grace_ms=*/10'000);
  EXPECT_EQ(appends_, 1);
}

// More answers than the socket takes at once: some are sent on the spot, some later.
TEST_F(ConnectionTest, PipelinedRequestsAreAnsweredInOrder) {
  constexpr int kRequests = 20'000;
  const Config config;
  Routes api(tsdb_.get(), &config);
  http_.api = &api;
  http_.body_bytes_max = 1000;
  Client client(Start(), /*receive_bytes=*/4096);
  // Puts are answered where they are read, the version by the pool.
  const auto request_of = [](int i) -> std::string {
    if (i % 97 == 0) return "GET /api/version HTTP/1.1\r\n\r\n";
    return std::string("POST /api/put HTTP/1.1\r\nContent-Length: 2\r\n\r\n") +
           (i % 5 == 0 ? "[]" : "{}");
  };
  const auto answer_of = [](int i) {
    if (i % 97 == 0) return "short_revision";
    return i % 5 == 0 ? "No datapoints found" : "One or more data points had errors";
  };
  std::jthread sender([&] {
    for (int i = 0; i < kRequests; ++i)
      client.Send(request_of(i));
    client.EndInput();
  });

  const std::string all = client.ReadAll();

  size_t at = 0;
  for (int i = 0; i < kRequests; ++i) {
    ASSERT_EQ(all.compare(at, 9, "HTTP/1.1 "), 0) << i;
    const size_t end = std::min(all.find("HTTP/1.1 ", at + 9), all.size());
    ASSERT_THAT(all.substr(at, end - at), HasSubstr(answer_of(i))) << i;
    at = end;
  }
  EXPECT_EQ(at, all.size());
  EXPECT_EQ(counters_->bytes_out->value(), all.size());
}

TEST_F(ConnectionTest, PointsOfAClientThatVanishesAreCounted) {
  const uint16_t port = Start();
  {
    Client client(port);
    client.Send("put m 1 1 a=b\n");
    while (appends_ < 1)
      std::this_thread::yield();
    // Closing with a reply unread resets the connection.
    client.Send("help\nhelp\n");
  }
  while (telnet_counters_->points->value() < 1)
    std::this_thread::yield();
}

// The reset is here before the lines are read: the replies have no reader.
TEST_F(ConnectionTest, PointsOfAClientThatIsNotThereToBeAnsweredAreCounted) {
  const uint16_t port = Start();
  uint64_t points = 0;
  for (const std::string_view lines :
       {"bad\nput m 1 1 a=b\n", "version\nput m 1 1 a=b\n", "bad\nput m 1 1 a=b\nversion\n",
        "bad\nput m 1 1 a=b\nexit\n"}) {
    Client other(port);
    is_held_ = true;
    const int appends = appends_;
    other.Send("put m 1 1 a=b\nversion\n");
    while (appends_ == appends)
      std::this_thread::yield();
    Client client(port);
    client.Send(lines);
    client.Reset();

    is_held_ = false;

    EXPECT_THAT(other.ReadLine(), StartsWith("hourcell")) << lines;
    points += 2;
    while (telnet_counters_->points->value() < points)
      std::this_thread::yield();
  }
}

}  // namespace
}  // namespace hourcell::connection_test
