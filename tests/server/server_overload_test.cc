// A running server under overload: too many connections, bodies and queries, and clients
// that send or read too slowly. Over sockets.

#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/access/credentials.h"
#include "server/http/http_response.h"
#include "tests/server/http/http_decode.h"
#include "tests/server/net/tls_client.h"
#include "tests/server/net/tls_peer.h"
#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"

namespace hourcell::server_overload_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kSmallQuery = "/api/query?start=1356998400&m=sum:m{host=web1}";

std::string PostHead(std::string_view target, size_t length, std::string_view more = "") {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(length) + "\r\n" +
         std::string(more) + "\r\n";
}

class ServerOverloadTest : public RunningServerTest {
 protected:
  // A server with TLS, which gives requests and handshakes a second.
  void StartWithTlsInASecond() {
    WriteCertificate(dir_.file("cert"), dir_.file("key"));
    Set("tsd.tls.certificate", dir_.file("cert"));
    Set("tsd.tls.key", dir_.file("key"));
    Set("tsd.http.request.timeout", "1");
    Start();
  }

  uint64_t Counted(const std::string& name, const StatTags& tags = {}) {
    return tsdb_->stats().counter(name, tags)->value();
  }
  int64_t Gauge(std::string_view name, const StatTags& tags) {
    for (const StatSample& sample : tsdb_->stats().Snapshot()) {
      if (sample.name == name && sample.tags == tags) return sample.value;
    }
    return -1;
  }
  bool WaitForQueries(int64_t running, int64_t waiting) {
    return Eventually([&] {
      return Gauge("query.queries", {{"type", "running"}}) == running &&
             Gauge("query.queries", {{"type", "waiting"}}) == waiting;
    });
  }
};

TEST_F(ServerOverloadTest, OneAddressDoesNotKeepOthersOut) {
  Set("tsd.network.connections.per_address", "1");
  Start();
  RawClient first(port());
  first.Send("version\n");
  EXPECT_THAT(first.ReadUntil("\n"), StartsWith("hourcell"));

  RawClient second(port());
  EXPECT_EQ(second.ReadAll(), "");
  RawClient other(port(), 0, "127.0.0.2");
  other.Send("version\n");
  EXPECT_THAT(other.ReadUntil("\n"), StartsWith("hourcell"));

  EXPECT_EQ(Counted("connectionmgr.rejected", {{"reason", "address"}}), 1U);
  first.Close();
  EXPECT_TRUE(Eventually([&] {
    RawClient again(port());
    again.Send("version\n");
    return again.ReadUntil("\n").starts_with("hourcell");
  }));
}

TEST_F(ServerOverloadTest, AFullListenerLeavesTheOthersOpen) {
  Set("tsd.network.listeners", "127.0.0.1:0=admin");
  Set("tsd.network.connections.per_listener", "1");
  Start();
  RawClient first(port());
  first.Send("version\n");
  EXPECT_THAT(first.ReadUntil("\n"), StartsWith("hourcell"));

  RawClient second(port());
  EXPECT_EQ(second.ReadAll(), "");
  RawClient other(server_->ports()[1]);
  other.Send("version\n");

  EXPECT_THAT(other.ReadUntil("\n"), StartsWith("hourcell"));
  EXPECT_EQ(Counted("connectionmgr.rejected", {{"reason", "listener"}}), 1U);
}

TEST_F(ServerOverloadTest, TheLimitCountsAllListeners) {
  Set("tsd.network.listeners", "127.0.0.1:0=admin");
  Set("tsd.core.connections.limit", "1");
  Start();
  RawClient first(port());
  first.Send("version\n");
  EXPECT_THAT(first.ReadUntil("\n"), StartsWith("hourcell"));

  RawClient other(server_->ports()[1]);

  EXPECT_EQ(other.ReadAll(), "");
  EXPECT_EQ(Counted("connectionmgr.rejected", {{"reason", "total"}}), 1U);
}

// The answers come though no byte of the bodies was sent.
TEST_F(ServerOverloadTest, WhoMayNotPutIsToldSoBeforeTheBody) {
  const std::string users = dir_.file("users");
  const SecretHash secret = SecretHash::Make("r", {.log2_n = 10, .block = 1, .parallel = 1});
  std::ofstream(users) << CredentialsLine("reader", AccessRights::Read(), secret);
  Set("tsd.auth.file", users);
  Start();
  RawClient stranger(port());
  stranger.Send(PostHead("/api/put", 50'000'000));
  EXPECT_THAT(stranger.ReadAll(), StartsWith("HTTP/1.1 401 Unauthorized\r\n"));

  RawClient reader(port());
  reader.Send(PostHead("/api/put", 50'000'000, "Authorization: Bearer reader.r\r\n"));
  EXPECT_THAT(reader.ReadAll(), StartsWith("HTTP/1.1 403 Forbidden\r\n"));

  RawClient lost(port());
  lost.Send(PostHead("/api/nothing", 50'000'000, "Authorization: Bearer reader.r\r\n"));
  EXPECT_THAT(lost.ReadAll(), StartsWith("HTTP/1.1 404 Not Found\r\n"));

  EXPECT_EQ(Counted("rpc.errors", {{"type", "http_body_refused"}}), 3U);
}

TEST_F(ServerOverloadTest, TheHeadOfALargeBodyIsJudgedByItsDecodedPathAndItsMode) {
  Set("tsd.mode", "ro");
  Start();
  struct Case {
    std::string_view target;
    std::string_view says;
  };
  for (const Case& c : {Case{"/api/%70ut", "HTTP/1.1 404 "},
                        Case{"/api/annotation", "HTTP/1.1 404 "}, Case{"/api/%zz", "HTTP/1.1 400 "},
                        Case{"/api/admin/job%73", "\r\nAllow: GET, HEAD, DELETE\r\n"}}) {
    RawClient client(port());
    client.Send(PostHead(std::string(c.target), 50'000'000));
    EXPECT_THAT(client.ReadAll(), HasSubstr(c.says)) << c.target;
  }
  EXPECT_EQ(Counted("rpc.errors", {{"type", "http_body_refused"}}), 4U);
}

// The path that was decoded for the head is that of the request.
TEST_F(ServerOverloadTest, ALargeBodyIsAnsweredByItsDecodedPath) {
  Start();
  RawClient client(port());
  client.Send(PostHead("/api/%70ut", 100'000, "Connection: close\r\n") + std::string(99'998, ' ') +
              "[]");
  EXPECT_THAT(client.ReadAll(), HasSubstr("No datapoints found"));
}

TEST_F(ServerOverloadTest, ABodyTheMemoryHasNoRoomForIsRefusedForNow) {
  Set("tsd.http.request.memory", "300000");
  Start();
  RawClient first(port());
  first.Send(PostHead("/api/put", 200'000) + "[" + std::string(189'999, ' '));
  ASSERT_TRUE(Eventually([&] { return Gauge("http.body_bytes", {}) == 190'000; }));

  RawClient second(port());
  second.Send(PostHead("/api/put", 200'000));
  EXPECT_THAT(second.ReadAll(),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
  EXPECT_EQ(Counted("rpc.errors", {{"type", "http_no_memory"}}), 1U);

  first.Send(std::string(9'999, ' ') + "]");
  EXPECT_THAT(first.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 400 "));  // an empty list
  // A worker releases the memory of a body after its answer.
  EXPECT_TRUE(Eventually([&] { return Gauge("http.body_bytes", {}) == 0; }));
  RawClient third(port());
  third.Send(PostHead("/api/put", 200'000) + std::string(199'998, ' ') + "[]");
  EXPECT_THAT(third.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

// Enough bodies to fill the memory by their announced sizes. A client is told to continue once its
// announcement is accepted.
TEST_F(ServerOverloadTest, SlowSendersOfLargeBodiesKeepNobodyOut) {
  Set("tsd.http.request.memory", "300000");
  Start();
  std::vector<std::unique_ptr<RawClient>> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(std::make_unique<RawClient>(port()));
    slow.back()->Send(PostHead("/api/put", 250'000, "Expect: 100-continue\r\n"));
    EXPECT_THAT(slow.back()->ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100 "));
    slow.back()->Send("[" + std::string(1'000, ' '));
  }
  RawClient client(port());
  for (int i = 0; i < 4; ++i) {
    client.Send(PostHead("/api/put", 250'000) + std::string(249'998, ' ') + "[]");
    EXPECT_THAT(client.ReadUntil("}}"), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("datapoint")));
    // A worker releases the memory of a body after its answer.
    ASSERT_TRUE(Eventually([&] { return Gauge("http.body_bytes", {}) < 50'000; }));
  }
  EXPECT_EQ(Counted("rpc.errors", {{"type", "http_no_memory"}}), 0U);
}

TEST_F(ServerOverloadTest, ABodyThatIsInflatedTakesThatMuchOfTheMemory) {
  Set("tsd.http.request.memory", "300000");
  Start();
  const std::string zipped = Gzip(std::string(199'998, ' ') + "[]");
  const std::string put =
      PostHead("/api/put", zipped.size(), "Content-Encoding: gzip\r\n") + zipped;
  RawClient first(port());
  first.Send(PostHead("/api/put", 200'000) + "[" + std::string(189'999, ' '));
  ASSERT_TRUE(Eventually([&] { return Gauge("http.body_bytes", {}) == 190'000; }));

  RawClient second(port());
  second.Send(put);
  EXPECT_THAT(second.ReadUntil("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
  EXPECT_THAT(second.ReadUntil("}}"), HasSubstr("Too many request bodies are in memory"));
  EXPECT_EQ(Counted("rpc.errors", {{"type", "http_no_memory"}}), 1U);
  EXPECT_TRUE(Eventually([&] { return Gauge("http.body_bytes", {}) == 190'000; }));

  first.Send(std::string(9'999, ' ') + "]");
  EXPECT_THAT(first.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 400 "));  // an empty list
  for (int i = 0; i < 2; ++i) {
    second.Send(put);  // the connection continues, and there is room
    EXPECT_THAT(second.ReadUntil("}}"), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("datapoint")));
    EXPECT_TRUE(Eventually([&] { return Gauge("http.body_bytes", {}) == 0; }));
  }
  EXPECT_EQ(Counted("rpc.errors", {{"type", "http_no_memory"}}), 1U);
}

TEST_F(ServerOverloadTest, SlowSendersAreTimedOutAndIdleOnesAreNot) {
  Set("tsd.http.request.timeout", "1");
  Start();
  RawClient idle(port());
  RawClient between(port());
  between.Send(Get("/api/version"));
  EXPECT_THAT(between.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  RawClient header(port());
  header.Send("GET /api/ver");
  RawClient body(port());
  body.Send(PostHead("/api/put", 100) + "[");

  EXPECT_THAT(header.ReadAll(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_THAT(body.ReadAll(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));

  EXPECT_EQ(Counted("rpc.errors", {{"type", "http_timed_out"}}), 2U);
  idle.Send(Get("/api/version"));
  EXPECT_THAT(idle.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  between.ReadUntil("}");
  between.Send(Get("/api/version"));
  EXPECT_THAT(between.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerOverloadTest, HandshakesThatStandStillAreTimedOutAndIdleSessionsAreNot) {
  StartWithTlsInASecond();
  TlsClient idle(port());
  RawClient one_byte(port());
  one_byte.Send("\x16");
  RawClient half(port());
  const std::string hello = TlsPeer().Take("");
  half.Send(hello.substr(0, hello.size() / 2));

  EXPECT_EQ(one_byte.ReadAll(), "");
  EXPECT_EQ(half.ReadAll(), "");

  EXPECT_EQ(Counted("rpc.errors", {{"type", "tls_timed_out"}}), 2U);
  EXPECT_EQ(Counted("connectionmgr.connections", {{"type", "timed_out"}}), 2U);
  idle.Send("version\n");
  EXPECT_THAT(idle.ReadAvailable(), StartsWith("hourcell"));
}

// The time of the handshake does not count for the request.
TEST_F(ServerOverloadTest, ASlowSenderIsTimedOutInsideOfTlsToo) {
  StartWithTlsInASecond();
  TlsClient client(port());

  client.Send("GET /api/ver");

  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_EQ(Counted("rpc.errors", {{"type", "http_timed_out"}}), 1U);
  EXPECT_EQ(Counted("rpc.errors", {{"type", "tls_timed_out"}}), 0U);
}

// Of answers that no query prints, too: they wait for their client as well.
TEST_F(ServerOverloadTest, AClientThatReadsNothingIsDropped) {
  Set("tsd.query.send_timeout", "300");
  Start();
  RawClient client(port(), /*receive_bytes=*/4096);
  std::string requests;
  for (int i = 0; i < 20'000; ++i)
    requests += "GET /api/aggregators HTTP/1.1\r\n\r\n";
  std::jthread sender([&] { client.SendAsFarAsItGoes(requests); });

  EXPECT_TRUE(Eventually(
      [&] { return Counted("connectionmgr.connections", {{"type", "timed_out"}}) == 1; }));
}

TEST_F(ServerOverloadTest, TooManyQueriesAreRefusedAndTheRestGoesOn) {
  PutPoints();
  Set("tsd.query.concurrent", "1");
  Set("tsd.query.queue", "1");
  Set("tsd.query.quick_rows", "0");  // the small ones wait for a query thread, too
  Start();
  RawClient running(port(), /*receive_bytes=*/64 * 1024);
  running.Send(Get(kLargeQuery));
  ASSERT_TRUE(WaitForQueries(/*running=*/1, /*waiting=*/0));
  RawClient waiting(port());
  waiting.Send(Get(kSmallQuery));
  ASSERT_TRUE(WaitForQueries(/*running=*/1, /*waiting=*/1));

  RawClient other(port());
  other.Send(Get(kSmallQuery));
  EXPECT_THAT(other.ReadUntil("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
  EXPECT_THAT(other.ReadUntil("}}"), HasSubstr("Too many queries"));
  EXPECT_EQ(Counted("query.refused", {{"reason", "too_many"}}), 1U);

  other.Send(Get("/api/version"));
  EXPECT_THAT(other.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  other.ReadUntil("}");
  other.Send("GET /api/stats HTTP/1.1\r\n\r\n");
  EXPECT_THAT(other.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  running.Close();
  EXPECT_THAT(waiting.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

// One thread reads all connections, and one runs queries. The small query needs no other thread.
TEST_F(ServerOverloadTest, AQuickQueryDoesNotWaitForTheOthers) {
  PutPoints();
  Set("tsd.network.worker_threads", "1");
  Set("tsd.query.concurrent", "1");
  Start();
  RawClient quick(port());
  const auto ask = [&] {
    quick.Send(Get("/api/query?start=1356998400&end=1357001999&m=sum:m{host=web1}"));
    EXPECT_THAT(quick.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
    return quick.ReadUntil("}}]");
  };
  const std::string answer = ask();
  EXPECT_EQ(ask(), answer) << "the series of the metric are in memory now";
  RawClient running(port(), /*receive_bytes=*/64 * 1024);
  running.Send(Get(kLargeQuery));
  ASSERT_TRUE(WaitForQueries(/*running=*/1, /*waiting=*/0));

  EXPECT_EQ(ask(), answer);

  EXPECT_TRUE(WaitForQueries(/*running=*/1, /*waiting=*/0)) << "the large one still runs";
}

// The thread that reads connections does no more of a query than the bound says: the other
// connections are answered while a query over it waits for its turn.
TEST_F(ServerOverloadTest, AQueryOverTheBoundDoesNotHoldUpTheThreadThatReadsIt) {
  PutPoints();
  Set("tsd.network.worker_threads", "1");
  Set("tsd.query.concurrent", "1");
  Set("tsd.query.quick_rows", "4");
  Start();
  // The rows of two hosts are in the bound, those of eight are not.
  const std::string hour = "/api/query?start=1356998400&end=1357001999&m=sum:m{host=";
  const std::string within = hour + "web1|web2}";
  const std::string over = hour + "web1|web2|web3|web4|web5|web6|web7|web8}";
  RawClient first(port());
  for (int i = 0; i < 2; ++i) {
    first.Send(Get(within));
    first.ReadUntil("}}]");
  }
  RawClient running(port(), /*receive_bytes=*/64 * 1024);
  running.Send(Get(kLargeQuery));
  ASSERT_TRUE(WaitForQueries(/*running=*/1, /*waiting=*/0));

  RawClient waiting(port());
  waiting.Send(Get(over));
  ASSERT_TRUE(WaitForQueries(/*running=*/1, /*waiting=*/1));
  first.Send(Get(within));
  EXPECT_THAT(first.ReadUntil("}}]"), HasSubstr("\"dps\""));
  first.Send(Get("/api/version"));
  EXPECT_THAT(first.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));

  running.Close();
  EXPECT_THAT(waiting.ReadUntil("}}]"), HasSubstr("\"dps\""));
}

// Faults of a query are reported without a query thread.
TEST_F(ServerOverloadTest, AQueryThatIsRefusedWaitsForNobody) {
  PutPoints();
  Set("tsd.query.concurrent", "1");
  Start();
  RawClient running(port(), /*receive_bytes=*/64 * 1024);
  running.Send(Get(kLargeQuery));
  ASSERT_TRUE(WaitForQueries(/*running=*/1, /*waiting=*/0));
  RawClient client(port());
  for (const std::string query : {"m=nosuch:m", "m=sum:nosuch", "m=sum:m{host=nosuch}"}) {
    client.Send(Get("/api/query?start=1356998400&" + query));
    EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 400 ")) << query;
    client.ReadUntil("}}");
  }
  EXPECT_TRUE(WaitForQueries(/*running=*/1, /*waiting=*/0));
}

TEST_F(ServerOverloadTest, ADrainWaitsForWhatIsRead) {
  PutPoints();
  Set("tsd.network.drain_timeout", "60");
  Start();
  RawClient client(port(), /*receive_bytes=*/64 * 1024);
  client.Send(Get(kLargeQuery));
  ASSERT_TRUE(WaitForQueries(/*running=*/1, /*waiting=*/0));
  RawClient idle(port());

  std::jthread stopper([&] { server_->Stop(); });
  EXPECT_EQ(idle.ReadAll(), "");  // it stops
  client.ReadUntil("\r\n\r\n");
  const auto body = Unchunk(client.ReadUntil("\r\n0\r\n\r\n"));

  ASSERT_TRUE(body.has_value());
  EXPECT_THAT(body->substr(body->size() - 10), EndsWith("}}]"));
  EXPECT_EQ(client.ReadAll(), "");
}

TEST_F(ServerOverloadTest, SkipDrainEndsTheDrain) {
  PutPoints();
  Set("tsd.network.drain_timeout", "3600");
  Start();
  RawClient client(port(), /*receive_bytes=*/64 * 1024);
  client.Send(Get(kLargeQuery));
  ASSERT_TRUE(WaitForQueries(/*running=*/1, /*waiting=*/0));
  RawClient idle(port());
  std::jthread stopper([&] { server_->Stop(); });
  EXPECT_EQ(idle.ReadAll(), "");  // it stops

  server_->SkipDrain();
  stopper.join();  // not in an hour

  EXPECT_TRUE(WaitForQueries(/*running=*/0, /*waiting=*/0));
}

}  // namespace
}  // namespace hourcell::server_overload_test
