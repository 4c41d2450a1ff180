// Rights of clients without credentials, users and admins on a running server, over both protocols.

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/access/credentials.h"
#include "server/server.h"
#include "tests/server/net/tls_peer.h"
#include "tests/server/raw_client.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::server_access_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr SecretHash::Cost kCheap{.log2_n = 10, .block = 1, .parallel = 1};

std::string LineOf(std::string_view user, AccessRights rights, std::string_view secret) {
  return CredentialsLine(user, rights, SecretHash::Make(secret, kCheap));
}

class ServerAccessTest : public testing::Test {
 protected:
  void SetUp() override {
    Options options;
    options.path = dir_.file("store");
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
    WriteUsers(LineOf("grafana", AccessRights::Read(), "r") +
               LineOf("tcollector", AccessRights::Write(), "w") +
               LineOf("root", AccessRights::Admin(), "a"));
    Set("tsd.network.port", "0");
    Set("tsd.network.worker_threads", "2");
    Set("tsd.auth.file", path_);
  }

  void Set(std::string_view key, std::string_view value) { ASSERT_OK(config_.Set(key, value)); }
  void WriteUsers(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  void Start() {
    auto started = Server::Start(config_, tsdb_.get());
    ASSERT_OK(started);
    server_ = *std::move(started);
  }

  std::string Exchange(std::string_view bytes, size_t listener = 0) {
    RawClient client(server_->ports()[listener]);
    client.Send(bytes);
    client.EndInput();
    return client.ReadAll();
  }
  // The status line of a request.
  std::string Ask(std::string_view line,
                  std::string_view token = "",
                  std::string_view body = "",
                  size_t listener = 0) {
    std::string request(line);
    request += " HTTP/1.1\r\nConnection: close\r\nContent-Length: ";
    request += std::to_string(body.size()) + "\r\n";
    if (!token.empty()) request += "Authorization: Bearer " + std::string(token) + "\r\n";
    request += "\r\n";
    request += body;
    const std::string reply = Exchange(request, listener);
    return reply.substr(0, reply.find('\r'));
  }

  static constexpr std::string_view kPut =
      R"({"metric":"m","timestamp":1356998400,"value":1,"tags":{"a":"b"}})";
  static constexpr std::string_view kQuery = "GET /api/query?start=1356998400&m=sum:m";

  TempDir dir_;
  const std::string path_ = dir_.file("users");
  Config config_;
  std::unique_ptr<Tsdb> tsdb_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerAccessTest, StrangersAreAskedWhoTheyAre) {
  Start();

  EXPECT_THAT(Exchange("GET /api/version HTTP/1.1\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("WWW-Authenticate: Basic realm=")));
  EXPECT_EQ(Ask("POST /api/put", "", kPut), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(Ask(kQuery), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(Ask(kQuery, "grafana.wrong"), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(Ask("GET /api/config", "nobody.x"), "HTTP/1.1 401 Unauthorized");
}

TEST_F(ServerAccessTest, UsersMayWhatTheirRolesSay) {
  Set("tsd.rpc.allow_dropcaches", "true");
  Start();

  EXPECT_EQ(Ask("POST /api/put", "tcollector.w", kPut), "HTTP/1.1 204 No Content");
  EXPECT_EQ(Ask("POST /api/put", "grafana.r", kPut), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(Ask(kQuery, "grafana.r"), "HTTP/1.1 200 OK");
  EXPECT_EQ(Ask(kQuery, "tcollector.w"), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(Ask("GET /api/dropcaches", "grafana.r"), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(Ask("GET /api/dropcaches", "root.a"), "HTTP/1.1 200 OK");
}

TEST_F(ServerAccessTest, DeletionsAreForAdminsWhereTheyAreAllowed) {
  Set("tsd.http.query.allow_delete", "true");
  Start();
  const std::string body =
      R"({"start":1356998400,"delete":true,"queries":[{"aggregator":"sum","metric":"m"}]})";
  ASSERT_EQ(Ask("POST /api/put", "root.a", kPut), "HTTP/1.1 204 No Content");

  EXPECT_EQ(Ask("DELETE /api/query?start=1356998400&m=sum:m", "grafana.r"),
            "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(Ask(std::string(kQuery) + "&method_override=delete", "grafana.r"),
            "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(Ask("POST /api/query", "grafana.r", body), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(Ask("POST /api/query", "root.a", body), "HTTP/1.1 200 OK");
}

TEST_F(ServerAccessTest, OneConnectionMayAskAsSeveralUsers) {
  Start();
  RawClient client(server_->port());
  client.Send(
      "GET /api/version HTTP/1.1\r\nAuthorization: Bearer grafana.r\r\n\r\n"
      "GET /api/version HTTP/1.1\r\n\r\n"
      "GET /api/version HTTP/1.1\r\nAuthorization: Basic Z3JhZmFuYTpy\r\n\r\n");
  client.EndInput();

  client.ReadUntil("HTTP/1.1 200 OK");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("\r\n"));
  client.ReadUntil("HTTP/1.1 401 Unauthorized");
  EXPECT_THAT(client.ReadAll(), HasSubstr("HTTP/1.1 200 OK"));
}

TEST_F(ServerAccessTest, TelnetSaysWhoItIsByAuth) {
  Start();

  EXPECT_EQ(Exchange("put m 1 1 a=b\nauth tcollector x\nauth tcollector w\nput m 1 1 a=b\nstats\n"),
            "put: permission denied: this needs the role write; this client has none\n"
            "AUTH_FAIL\r\nAUTH_SUCCESS\r\n"
            "stats: permission denied: this needs the role read; this client has write\n");
  EXPECT_EQ(Ask(kQuery, "grafana.r"), "HTTP/1.1 200 OK") << "the second put is there";
}

TEST_F(ServerAccessTest, AListenerAndAnAddressGiveRights) {
  Set("tsd.network.listeners", "127.0.0.1:0=write,127.0.0.1:0=none");
  Set("tsd.auth.allow", "127.0.0.0/8=read,10.0.0.0/8=admin");
  Start();

  EXPECT_EQ(Ask("POST /api/put", "", kPut, 0), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(Ask("POST /api/put", "", kPut, 1), "HTTP/1.1 204 No Content");
  EXPECT_EQ(Ask("POST /api/put", "", kPut, 2), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(Exchange("put m 1 1 a=c\n", 1), "");
  EXPECT_EQ(Ask(kQuery, "", "", 0), "HTTP/1.1 200 OK");
  EXPECT_EQ(Ask("GET /api/config", "", "", 1), "HTTP/1.1 401 Unauthorized");
}

// For example by nginx on the same machine: clients of the proxy are not local.
TEST_F(ServerAccessTest, WhatComesThroughAProxyIsNotLocal) {
  Set("tsd.auth.file", "");
  Start();

  EXPECT_EQ(Ask("GET /api/config"), "HTTP/1.1 200 OK");
  for (const char* const header :
       {"X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1", "Via: 1.1 x"}) {
    EXPECT_EQ(Ask(std::string("GET /api/config HTTP/1.1\r\n") + header + "\r\nX:"),
              "HTTP/1.1 403 Forbidden");
    EXPECT_EQ(Ask(std::string("GET /api/aggregators HTTP/1.1\r\n") + header + "\r\nX:"),
              "HTTP/1.1 200 OK");
  }
}

TEST_F(ServerAccessTest, AListedProxySaysWhoseRequestItIs) {
  Set("tsd.auth.allow", "10.0.0.0/8=read");
  Set("tsd.http.trusted_proxies", "127.0.0.1");
  Start();
  const std::string request = "GET /api/aggregators HTTP/1.1\r\nX-Forwarded-For: ";

  EXPECT_EQ(Ask(request + "10.0.0.7\r\nX:"), "HTTP/1.1 200 OK");
  EXPECT_EQ(Ask(request + "10.0.0.7, 11.0.0.7\r\nX:"), "HTTP/1.1 401 Unauthorized");
}

TEST_F(ServerAccessTest, AReloadChangesTheUsersAtOnceUnlessTheFileIsDamaged) {
  Start();
  ASSERT_EQ(Ask(kQuery, "root.a"), "HTTP/1.1 400 Bad Request") << "no such metric";

  WriteUsers("damaged\n");
  server_->Reload();
  EXPECT_EQ(Ask("GET /api/version", "root.a"), "HTTP/1.1 200 OK");

  WriteUsers(LineOf("root", AccessRights::Admin(), "b"));
  server_->Reload();
  EXPECT_EQ(Ask("GET /api/version", "root.a"), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(Ask("GET /api/version", "root.b"), "HTTP/1.1 200 OK");
}

TEST_F(ServerAccessTest, DoesNotStartOpenOrWithoutItsUsers) {
  Set("tsd.auth.file", "");
  Set("tsd.network.bind", "0.0.0.0");
  EXPECT_THAT(Server::Start(config_, tsdb_.get()).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.network.allow_open")));
  Set("tsd.auth.file", dir_.file("none"));
  EXPECT_THAT(Server::Start(config_, tsdb_.get()).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.auth.file")));
}

// A server without users ignores credentials that a client sends anyway.
TEST_F(ServerAccessTest, WithoutUsersLoopbackIsOpen) {
  Set("tsd.auth.file", "");
  Start();

  EXPECT_EQ(Ask("GET /api/config", "any.thing"), "HTTP/1.1 200 OK");
  EXPECT_THAT(Exchange("auth a b\n"), StartsWith("unknown command: auth"));
}

class ServerTlsTest : public ServerAccessTest {
 protected:
  void SetUp() override {
    ServerAccessTest::SetUp();
    WriteCertificate(dir_.file("cert"), dir_.file("key"));
    Set("tsd.tls.certificate", dir_.file("cert"));
    Set("tsd.tls.key", dir_.file("key"));
  }

  // The bytes from the server over TLS until it closes. `serial`: of its certificate.
  std::string ExchangeTls(std::string_view bytes, std::string* serial = nullptr) {
    TlsPeer peer;
    RawClient client(server_->port());
    client.Send(peer.Take(""));
    while (!peer.is_established()) {
      const std::string got = client.ReadAvailable();
      if (got.empty()) return "(closed in the handshake)";
      client.Send(peer.Take(got));
    }
    if (serial != nullptr) *serial = peer.certificate_serial();
    client.Send(peer.Send(bytes));
    client.Send(peer.Finish());
    for (std::string got = client.ReadAvailable(); !got.empty(); got = client.ReadAvailable())
      peer.Take(got);
    EXPECT_TRUE(peer.server_finished()) << "else an end cannot be told from a cut";
    return peer.received();
  }
};

TEST_F(ServerTlsTest, BothProtocolsAreSpokenOnTheOnePort) {
  Start();

  EXPECT_EQ(ExchangeTls("auth tcollector w\nput m 1356998400 1 a=b\n"), "AUTH_SUCCESS\r\n");
  EXPECT_THAT(ExchangeTls("GET /api/query?start=1356998400&end=1356998500&m=sum:m HTTP/1.1\r\n"
                          "Authorization: Bearer grafana.r\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK"), HasSubstr(R"("1356998400":1)")));
  EXPECT_THAT(Exchange("version\n"), StartsWith("hourcell")) << "plain, too";
}

TEST_F(ServerTlsTest, WhereItIsRequiredNothingElseIsSpoken) {
  Set("tsd.tls.required", "true");
  Start();

  EXPECT_THAT(Exchange("auth tcollector w\n"), HasSubstr("TLS is required\n"));
  EXPECT_EQ(Ask("GET /api/version", "root.a"), "HTTP/1.1 403 Forbidden");
  EXPECT_THAT(ExchangeTls("version\n"), StartsWith("hourcell"));
  EXPECT_EQ(tsdb_->stats().counter("rpc.errors", {{"type", "tls_required"}})->value(), 2u);
}

TEST_F(ServerTlsTest, AReloadTakesTheNewCertificateUnlessItIsDamaged) {
  Start();
  std::string first;
  std::string second;
  std::string third;
  ExchangeTls("version\n", &first);
  WriteCertificate(dir_.file("cert"), dir_.file("key"));
  server_->Reload();
  ExchangeTls("version\n", &second);
  std::ofstream(dir_.file("key")) << "damaged";
  server_->Reload();
  ExchangeTls("version\n", &third);

  EXPECT_NE(first, second);
  EXPECT_EQ(second, third);
}

TEST_F(ServerTlsTest, GarbageAfterTheFirstByteIsClosed) {
  Start();
  EXPECT_EQ(Exchange("\x16GET / HTTP/1.1\r\n\r\n").find("HTTP"), std::string::npos);
  EXPECT_EQ(tsdb_->stats().counter("rpc.errors", {{"type", "tls_failed"}})->value(), 1u);
}

TEST_F(ServerTlsTest, ACertificateWithoutItsKeyIsRefused) {
  Set("tsd.tls.key", "");
  EXPECT_THAT(Server::Start(config_, tsdb_.get()).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.tls")));
}

}  // namespace
}  // namespace hourcell::server_access_test
