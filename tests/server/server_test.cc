#include "server/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "server/http/http_parser.h"
#include "server/http/http_response.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::server_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A blocking client. Receiving gives up after 10 s.
class Client {
 public:
  explicit Client(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    HOURCELL_CHECK(fd_ >= 0);
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    HOURCELL_CHECK(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  ~Client() { close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // False if the server closed meanwhile.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  void EndInput() { shutdown(fd_, SHUT_WR); }

  // Everything until the server closes; "(timeout)" is appended if it does not.
  std::string ReadAll() {
    while (ReadSome()) {
    }
    return std::exchange(received_, {});
  }
  // Reads up to and with `end`; later bytes are kept for the next call.
  std::string ReadUntil(std::string_view end) {
    size_t at = received_.find(end);
    while (at == std::string::npos && ReadSome())
      at = received_.find(end);
    if (at == std::string::npos) return std::exchange(received_, {});
    std::string text = received_.substr(0, at + end.size());
    received_.erase(0, text.size());
    return text;
  }

 private:
  bool ReadSome() {
    char buffer[4096];
    const ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
    if (got < 0) received_.append("(timeout)");
    if (got > 0) received_.append(buffer, static_cast<size_t>(got));
    return got > 0;
  }

  std::string received_;
  const int fd_;
};

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    Options options;
    options.path = dir_.file("store");
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
    ASSERT_OK(config_.Set("tsd.network.port", "0"));
    ASSERT_OK(config_.Set("tsd.network.worker_threads", "2"));
  }

  void Start() {
    auto started = Server::Start(config_, tsdb_.get());
    ASSERT_OK(started);
    server_ = *std::move(started);
  }
  void StartWith(std::string_view key, std::string_view value) {
    ASSERT_OK(config_.Set(key, value));
    Start();
  }

  // Sends bytes on a new connection and ends the input.
  std::string Exchange(std::string_view bytes) {
    Client client(server_->port());
    client.Send(bytes);
    client.EndInput();
    return client.ReadAll();
  }

  uint64_t Counted(const std::string& name, const StatTags& tags = {}) {
    return tsdb_->stats().counter(name, tags)->value();
  }

  TempDir dir_;
  Config config_;
  std::unique_ptr<Tsdb> tsdb_;
  std::unique_ptr<Server> server_;
};

constexpr std::string_view kVersionRequest = "GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST_F(ServerTest, FirstByteDecidesTheProtocol) {
  Start();

  EXPECT_THAT(Exchange("version\n"), StartsWith("hourcell 0.1.0"));
  EXPECT_THAT(Exchange(kVersionRequest), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(Exchange("PUT m 1 1 a=b\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(Exchange(""), "");
}

TEST_F(ServerTest, TelnetAnswersAfterHalfClose) {
  Start();

  EXPECT_EQ(Exchange("put m 1356998400 1 a=b\nput m 0 1 a=b\nput m 1356998401 1 a=b\nexit\n"),
            "put: illegal argument: invalid timestamp: 0\n");
  EXPECT_EQ(Counted("rpc.put.points"), 2U);
}

TEST_F(ServerTest, VersionOverOneOpenConnection) {
  Start();
  Client client(server_->port());

  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.Send("version\n"));
    EXPECT_THAT(client.ReadUntil("\n"), StartsWith("hourcell"));
    EXPECT_THAT(client.ReadUntil("\n"), StartsWith("Built with"));
  }
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrder) {
  Start();

  const std::string replies =
      Exchange("GET /nowhere HTTP/1.1\r\n\r\n" + std::string(kVersionRequest) +
               "POST /api/put HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]" +
               "GET /api/version HTTP/1.0\r\n\r\n");

  const size_t missing = replies.find("HTTP/1.1 404");
  const size_t version = replies.find("HTTP/1.1 200");
  const size_t last = replies.rfind("Connection: close");
  EXPECT_EQ(missing, 0U) << replies;
  EXPECT_LT(missing, version);
  EXPECT_LT(version, last);
  EXPECT_EQ(Counted("rpc.received", {{"type", "http"}}), 4U);
}

TEST_F(ServerTest, TakesChunkedGzipPutsFedByteByByte) {
  Start();
  const std::string body =
      Gzip(R"({"metric":"m","timestamp":1356998400,"value":1,"tags":{"host":"a"}})");
  const std::string request =
      "POST /api/put HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  Client client(server_->port());

  for (const char byte : request)
    ASSERT_TRUE(client.Send({&byte, 1}));

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 204 No Content"));
  EXPECT_EQ(Counted("rpc.put.points"), 1U);
}

TEST_F(ServerTest, AnswersExpectBeforeTheBody) {
  Start();
  Client client(server_->port());

  client.Send("POST /api/put HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("[]");

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 "));
}

TEST_F(ServerTest, RefusesBodiesOverTheLimitAndCloses) {
  StartWith("tsd.http.request.max_body", "1000");
  Client client(server_->port());
  const std::string bomb = Gzip(std::string(100'000, ' '));

  client.Send("POST /api/put HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n");
  client.Send(std::string(1'000'000, ' '));  // it is read and dropped, so that the answer arrives

  EXPECT_THAT(client.ReadUntil("}}"),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("Connection: close"), EndsWith("}}")));
  EXPECT_THAT(Exchange("POST /api/put HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: " +
                       std::to_string(bomb.size()) + "\r\n\r\n" + bomb),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("more than 1000 bytes")));
}

TEST_F(ServerTest, MalformedRequestsGetOpenTsdbsErrorBody) {
  Start();

  EXPECT_THAT(Exchange("GET nowhere HTTP/1.1\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr(R"({"error":{"code":400,"message":")")));
  EXPECT_THAT(Exchange("NONSENSE\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(
      Exchange("POST /api/put HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
      StartsWith("HTTP/1.1 400 "));
}

TEST_F(ServerTest, ClientThatNeverReadsDoesNotStopItsPuts) {
  Start();
  Client client(server_->port());
  std::string lines;
  for (int i = 0; i < 1000; ++i)
    lines += "put m 0 1 a=b\n";

  // Far more error text than the socket's buffers hold.
  for (int i = 0; i < 200; ++i)
    ASSERT_TRUE(client.Send(lines));
  ASSERT_TRUE(client.Send("put m 1356998400 1 a=b\n"));

  for (int i = 0; i < 6000 && Counted("rpc.put.points") == 0; ++i)
    usleep(10'000);
  EXPECT_EQ(Counted("rpc.put.points"), 1U);
  EXPECT_EQ(Counted("rpc.put.errors", {{"reason", "illegal_argument"}}), 200'000U);
}

TEST_F(ServerTest, ConnectionsBeyondTheLimitAreClosedAtOnce) {
  StartWith("tsd.core.connections.limit", "1");
  Client first(server_->port());
  first.Send("help\n");
  EXPECT_THAT(first.ReadUntil("\n"), StartsWith("available"));

  Client second(server_->port());

  EXPECT_EQ(second.ReadAll(), "");
  EXPECT_EQ(Counted("connectionmgr.connections", {{"type", "rejected"}}), 1U);
}

TEST_F(ServerTest, IdleConnectionsAreClosed) {
  StartWith("tsd.core.socket.timeout", "1");
  Client client(server_->port());

  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(Counted("connectionmgr.connections", {{"type", "timed_out"}}), 1U);
}

TEST_F(ServerTest, StopAnswersWhatWasReadAndClosesTheRest) {
  Start();
  Client idle(server_->port());
  Client telnet(server_->port());
  telnet.Send("put m 1356998400 1 a=b\nversion\n");
  telnet.ReadUntil("Built with");  // the server has read both lines

  server_->Stop();

  EXPECT_EQ(idle.ReadAll(), "");
  EXPECT_THAT(telnet.ReadAll(), EndsWith("\n"));
  EXPECT_EQ(Counted("rpc.put.points"), 1U);
}

TEST_F(ServerTest, RunEndsOnStop) {
  Start();
  Client client(server_->port());
  client.Send("help\n");
  ASSERT_THAT(client.ReadUntil("\n"), StartsWith("available"));  // it is served, not only connected
  std::thread runner([this] { server_->Run(); });

  server_->Stop();
  runner.join();

  EXPECT_EQ(client.ReadAll(), "");
  server_->Run();  // returns at once
}

TEST_F(ServerTest, StartSaysWhatIsWrongWithTheAddress) {
  Start();
  Config taken;
  ASSERT_OK(taken.Set("tsd.network.port", std::to_string(server_->port())));
  Config bad;
  ASSERT_OK(bad.Set("tsd.network.allow_open", "true"));
  ASSERT_OK(bad.Set("tsd.network.bind", "not an address"));

  EXPECT_THAT(Server::Start(taken, tsdb_.get()),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("in use")));
  EXPECT_THAT(Server::Start(bad, tsdb_.get()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.network.bind")));
}

TEST_F(ServerTest, ManyClientsAtOnceLoseNothing) {
  Start();
  std::vector<std::thread> threads;
  for (int client = 0; client < 8; ++client) {
    threads.emplace_back([this, client] {
      std::string lines;
      for (int i = 0; i < 500; ++i) {
        lines +=
            "put m " + std::to_string(1356998400 + i) + " 1 c=" + std::to_string(client) + "\n";
      }
      EXPECT_EQ(Exchange(lines), "");
      EXPECT_THAT(Exchange(kVersionRequest), StartsWith("HTTP/1.1 200"));
    });
  }
  for (std::thread& thread : threads)
    thread.join();

  EXPECT_EQ(Counted("rpc.put.points"), 4000U);
}

}  // namespace
}  // namespace hourcell::server_test
