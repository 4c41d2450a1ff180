// Large results of real queries over sockets: streamed, listed, cancelled.

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/server/http/http_decode.h"
#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"

namespace hourcell::server_stream_test {
namespace {

using std::chrono::steady_clock;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServerStreamTest : public RunningServerTest {
 protected:
  void SetUp() override {
    RunningServerTest::SetUp();
    PutPoints();
    Set("tsd.http.request.cors_domains", "*");
    Set("tsd.http.jsonp", "true");
    Set("tsd.network.drain_timeout", "1");
    Start();
  }

  // The body of the answer to a request without one.
  std::string Ask(std::string_view method, std::string_view target) {
    RawClient client(port());
    client.Send(std::string(method) + " " + std::string(target) +
                " HTTP/1.1\r\nConnection: close\r\n\r\n");
    client.ReadUntil("\r\n\r\n");
    return client.ReadAll();
  }

  // The ids of running queries, in order.
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
    return Eventually([&] { return Running().size() == count; });
  }
};

TEST_F(ServerStreamTest, ALargeResultIsWholeAndTheConnectionGoesOn) {
  RawClient client(port());
  client.Send(Get(kLargeQuery) + Get("/api/version"));

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
  RawClient client(port());
  client.Send("GET " + std::string(kLargeQuery) +
              "&jsonp=call HTTP/1.1\r\nOrigin: http://aurther.com\r\n\r\n");

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"),
              HasSubstr("\r\nAccess-Control-Allow-Origin: http://aurther.com\r\n"));
  const auto body = Unchunk(client.ReadUntil("\r\n0\r\n\r\n"));
  ASSERT_TRUE(body.has_value());
  EXPECT_THAT(body->substr(0, 20), StartsWith("call([{\"metric\":\"m\""));
  EXPECT_THAT(body->substr(body->size() - 10), EndsWith("}}])"));
}

// The length is that of the body without compression, which GET sends in chunks.
TEST_F(ServerStreamTest, HeadOfALargeResultHasItsLengthAndNoBody) {
  RawClient client(port());
  const std::string get = Get(kLargeQuery);
  client.Send(get);
  client.ReadUntil("\r\n\r\n");
  const auto body = Unchunk(client.ReadUntil("\r\n0\r\n\r\n"));
  ASSERT_TRUE(body.has_value());

  client.Send("HEAD" + get.substr(3) + Get("/api/version"));

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK"), Not(HasSubstr("chunked")),
                    HasSubstr("\r\nContent-Length: " + std::to_string(body->size()) + "\r\n")));
  EXPECT_THAT(client.ReadUntil("short_revision"), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(ServerStreamTest, LinesOfThePageAreStreamed) {
  RawClient client(port());
  client.Send(Get("/q?ascii&start=1356998400&end=1357002000&m=none:m"));

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  const auto body = Unchunk(client.ReadUntil("\r\n0\r\n\r\n"));
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(std::ranges::count(*body, '\n'), static_cast<ptrdiff_t>(kSeries * kPointsPerSeries));
  EXPECT_THAT(*body, StartsWith("m 1356998400 1000000000000 host=web0\n"));
}

// As many clients that do not read as there are threads for requests: the list still answers.
TEST_F(ServerStreamTest, ListsAndCancelsWhatRuns) {
  RawClient first(port(), /*receive_bytes=*/64 * 1024);
  RawClient second(port(), /*receive_bytes=*/64 * 1024);
  const std::string get =
      "GET " + std::string(kLargeQuery) + " HTTP/1.1\r\nConnection: close\r\n\r\n";
  first.Send(get);
  second.Send(get);
  ASSERT_TRUE(WaitForRunning(2));

  for (const uint64_t id : Running()) {
    EXPECT_THAT(Ask("DELETE", "/api/stats/query?id=" + std::to_string(id)),
                StartsWith("{\"cancelled\":{\"queryId\":" + std::to_string(id) + ","));
  }
  ASSERT_TRUE(WaitForRunning(0));

  EXPECT_THAT(first.ReadAll(), Not(EndsWith("\r\n0\r\n\r\n")));
  EXPECT_THAT(second.ReadAll(), Not(EndsWith("\r\n0\r\n\r\n")));
  const std::string list = Ask("GET", "/api/stats/query");
  EXPECT_THAT(list, HasSubstr("\"code\":503,"));
  EXPECT_THAT(list, HasSubstr("\"remote\":\"127.0.0.1:"));
  // One that is cancelled before its first piece gets its 503, which is sent.
  EXPECT_THAT(list, HasSubstr("\"sentToClient\":"));
}

TEST_F(ServerStreamTest, AClientThatVanishesFreesItsQuery) {
  RawClient client(port(), /*receive_bytes=*/64 * 1024);
  client.Send(Get(kLargeQuery));
  ASSERT_TRUE(WaitForRunning(1));

  client.Close();

  EXPECT_TRUE(WaitForRunning(0));
}

TEST_F(ServerStreamTest, StopEndsAQueryWhoseClientDoesNotRead) {
  RawClient client(port(), /*receive_bytes=*/64 * 1024);
  client.Send(Get(kLargeQuery));
  ASSERT_TRUE(WaitForRunning(1));

  const auto stop_at = steady_clock::now();
  server_->Stop();

  // It is cut off after tsd.network.drain_timeout, 1 s, not after tsd.query.send_timeout, 60 s.
  EXPECT_LT(steady_clock::now() - stop_at, std::chrono::seconds(30));
}

}  // namespace
}  // namespace hourcell::server_stream_test
