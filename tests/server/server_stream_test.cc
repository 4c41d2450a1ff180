// Large results of real queries over sockets: streamed, listed, cancelled.

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "server/server.h"
#include "tests/server/http_decode.h"
#include "tests/server/raw_client.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using std::chrono::steady_clock;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr int64_t kStartS = 1356998400;
constexpr size_t kSeries = 500;
constexpr size_t kPointsPerSeries = 100;

// About 25 MB of text: more than all buffers between server and client hold.
constexpr std::string_view kLargeQuery =
    "/api/query?start=1356998400&end=1357002000&m=none:m&m=sum:m{host=*}&m=min:m{host=*}"
    "&m=max:m{host=*}&m=avg:m{host=*}&m=count:m{host=*}&m=zimsum:m{host=*}&m=mimmin:m{host=*}"
    "&m=mimmax:m{host=*}&m=dev:m{host=*}&m=first:m{host=*}&m=last:m{host=*}";

class ServerStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    Options options;
    options.path = dir_.file("store");
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
    for (size_t i = 0; i < kSeries; ++i) {
      const std::string tags = "host=web" + std::to_string(i);
      for (size_t j = 0; j < kPointsPerSeries; ++j) {
        OwnedPoint point("m", tags, kStartS + static_cast<int64_t>(j) * 10,
                         static_cast<int64_t>(1'000'000'000'000 + i));
        ASSERT_OK(tsdb_->Put(point.view()));
      }
    }
    ASSERT_OK(config_.Set("tsd.network.port", "0"));
    ASSERT_OK(config_.Set("tsd.network.worker_threads", "2"));
    ASSERT_OK(config_.Set("tsd.http.request.cors_domains", "*"));
    ASSERT_OK(config_.Set("tsd.network.drain_timeout", "1"));
    auto started = Server::Start(config_, tsdb_.get());
    ASSERT_OK(started);
    server_ = *std::move(started);
  }

  // The body of the answer to a request without one.
  std::string Ask(std::string_view method, std::string_view target) {
    RawClient client(server_->port());
    client.Send(std::string(method) + " " + std::string(target) +
                " HTTP/1.1\r\nConnection: close\r\n\r\n");
    client.ReadUntil("\r\n\r\n");
    return client.ReadAll();
  }

  // The ids of what runs, in order.
  std::vector<uint64_t> Running() {
    const std::string text = Ask("GET", "/api/stats/query");
    simdjson::dom::parser parser;
    simdjson::dom::array running;
    EXPECT_EQ(parser.parse(text)["running"].get(running), simdjson::SUCCESS) << text;
    std::vector<uint64_t> ids;
    for (const simdjson::dom::element query : running)
      ids.push_back(uint64_t(query["queryId"]));
    return ids;
  }

  bool WaitForRunning(size_t count) {
    const auto deadline = steady_clock::now() + std::chrono::seconds(20);
    while (Running().size() != count) {
      if (steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  TempDir dir_;
  Config config_;
  std::unique_ptr<Tsdb> tsdb_;
  std::unique_ptr<Server> server_;
};

std::string Request(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

TEST_F(ServerStreamTest, ALargeResultIsWholeAndTheConnectionGoesOn) {
  RawClient client(server_->port());
  client.Send(Request(kLargeQuery) + Request("/api/version"));

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  const auto body = Unchunk(client.ReadUntil("\r\n0\r\n\r\n"));
  ASSERT_TRUE(body.has_value());
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  ASSERT_EQ(parser.parse(*body).get(list), simdjson::SUCCESS);
  EXPECT_EQ(list.size(), 12 * kSeries);
  for (const simdjson::dom::element series : list)
    ASSERT_EQ(simdjson::dom::object(series["dps"]).size(), kPointsPerSeries);
  EXPECT_THAT(client.ReadUntil("short_revision"), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(ServerStreamTest, AStreamHasTheHeadersOfItsOriginAndItsCallback) {
  RawClient client(server_->port());
  client.Send("GET " + std::string(kLargeQuery) +
              "&jsonp=call HTTP/1.1\r\nOrigin: http://aurther.com\r\n\r\n");

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"),
              HasSubstr("\r\nAccess-Control-Allow-Origin: http://aurther.com\r\n"));
  const auto body = Unchunk(client.ReadUntil("\r\n0\r\n\r\n"));
  ASSERT_TRUE(body.has_value());
  EXPECT_THAT(body->substr(0, 20), StartsWith("call([{\"metric\":\"m\""));
  EXPECT_THAT(body->substr(body->size() - 10), EndsWith("}}])"));
}

TEST_F(ServerStreamTest, LinesOfThePageAreStreamed) {
  RawClient client(server_->port());
  client.Send(Request("/q?ascii&start=1356998400&end=1357002000&m=none:m"));

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  const auto body = Unchunk(client.ReadUntil("\r\n0\r\n\r\n"));
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(std::ranges::count(*body, '\n'), static_cast<ptrdiff_t>(kSeries * kPointsPerSeries));
  EXPECT_THAT(*body, StartsWith("m 1356998400 1000000000000 host=web0\n"));
}

// As many clients that do not read as there are threads for requests: the list still answers.
TEST_F(ServerStreamTest, ListsAndCancelsWhatRuns) {
  RawClient first(server_->port(), /*receive_bytes=*/64 * 1024);
  RawClient second(server_->port(), /*receive_bytes=*/64 * 1024);
  first.Send(Request(kLargeQuery));
  second.Send(Request(kLargeQuery));
  ASSERT_TRUE(WaitForRunning(2));

  for (const uint64_t id : Running()) {
    EXPECT_THAT(Ask("DELETE", "/api/stats/query?id=" + std::to_string(id)),
                StartsWith("{\"cancelled\":{\"queryId\":" + std::to_string(id) + ","));
  }
  const auto cancelled_at = steady_clock::now();
  ASSERT_TRUE(WaitForRunning(0));

  EXPECT_LT(steady_clock::now() - cancelled_at, std::chrono::seconds(5));
  EXPECT_THAT(first.ReadAll(), Not(EndsWith("\r\n0\r\n\r\n")));
  EXPECT_THAT(second.ReadAll(), Not(EndsWith("\r\n0\r\n\r\n")));
  const std::string list = Ask("GET", "/api/stats/query");
  EXPECT_THAT(list, HasSubstr("\"code\":503,"));
  EXPECT_THAT(list, HasSubstr("\"remote\":\"127.0.0.1:"));
  // One that is cancelled before its first piece gets its 503, which is sent.
  EXPECT_THAT(list, HasSubstr("\"sentToClient\":"));
}

TEST_F(ServerStreamTest, AClientThatVanishesFreesItsQuery) {
  RawClient client(server_->port(), /*receive_bytes=*/64 * 1024);
  client.Send(Request(kLargeQuery));
  ASSERT_TRUE(WaitForRunning(1));

  client.Close();

  EXPECT_TRUE(WaitForRunning(0));
}

TEST_F(ServerStreamTest, StopEndsAQueryWhoseClientDoesNotRead) {
  RawClient client(server_->port(), /*receive_bytes=*/64 * 1024);
  client.Send(Request(kLargeQuery));
  ASSERT_TRUE(WaitForRunning(1));

  const auto stop_at = steady_clock::now();
  server_->Stop();

  EXPECT_LT(steady_clock::now() - stop_at, std::chrono::seconds(4));
}

}  // namespace
}  // namespace hourcell
