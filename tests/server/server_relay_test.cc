// What clients may do whose connections another process passes on.

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/relay/host_and_port.h"
#include "server/relay/relay.h"
#include "server/relay/relay_header.h"
#include "server/relay/writer_watch.h"
#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"
#include "tests/support/status_matchers.h"

namespace hourcell::server_relay_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view kWhoAmI =
    "GET /api/whoami HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

class ServerRelayTest : public RunningServerTest {
 protected:
  void StartWithRelay() {
    auto started = Server::Start(config_, tsdb_.get(), {.relay_secret = "secret"});
    ASSERT_OK(started);
    server_ = *std::move(started);
  }

  std::string WhoAmI(const RelayHeader& header) {
    RawClient client(port());
    client.Send(EncodeRelayHeader(header));
    client.Send(kWhoAmI);
    return client.ReadAll();
  }
};

TEST_F(ServerRelayTest, AClientHasTheRightsOfItsListenerAndItsAddress) {
  Set("tsd.network.role", "read");
  Set("tsd.network.listeners", "127.0.0.1:0=write");
  Set("tsd.auth.allow", "10.1.0.0/16=admin");
  StartWithRelay();
  const auto role = [&](const std::string& address, uint8_t listener) {
    return WhoAmI({.address = address, .port = 9, .listener = listener, .secret = "secret"});
  };
  EXPECT_THAT(role("192.0.2.1", 0), HasSubstr(R"("role":"read")"));
  EXPECT_THAT(role("192.0.2.1", 1), HasSubstr(R"("role":"write")"));
  EXPECT_THAT(role("10.1.2.3", 0), HasSubstr(R"("role":"admin")"));
}

// A stranger who speaks for others has no rights, and gets no answer.
TEST_F(ServerRelayTest, OnlyWhoKnowsTheSecretSpeaksForOthers) {
  StartWithRelay();
  const auto refused = [&](RelayHeader header) {
    RawClient client(port());
    client.Send(EncodeRelayHeader(header));
    return client.ReadAll();
  };
  EXPECT_EQ(refused({.address = "10.1.2.3", .secret = "secreT"}), "");
  EXPECT_EQ(refused({.address = "10.1.2.3", .secret = "secre"}), "");
  EXPECT_EQ(refused({.address = "10.1.2.3", .listener = 1, .secret = "secret"}), "");
}

TEST_F(ServerRelayTest, ClientsThatComeByThemselvesAreServedAsEver) {
  StartWithRelay();
  RawClient http(port());
  http.Send(kWhoAmI);
  EXPECT_THAT(http.ReadAll(), HasSubstr(R"("role":"admin")"));
  RawClient telnet(port());
  telnet.Send("\r");
  telnet.Send("\nversion\n");
  EXPECT_THAT(telnet.ReadUntil("\n"), HasSubstr("unknown command"));
  EXPECT_THAT(telnet.ReadUntil("\n"), HasSubstr("hourcell"));
}

TEST_F(ServerRelayTest, AServerOfRelaysServesNobodyElseAndAnswersOnce) {
  Set("tsd.network.listeners", "127.0.0.1:0=write");
  auto socket = ListenSocket::Open({});
  ASSERT_OK(socket);
  ServerSite site{.relay_secret = "secret", .serves_relays_only = true};
  site.sockets.push_back(*std::move(socket));
  auto started = Server::Start(config_, tsdb_.get(), std::move(site));
  ASSERT_OK(started);
  server_ = *std::move(started);

  RawClient stranger(port());
  stranger.Send(kWhoAmI);
  EXPECT_EQ(stranger.ReadAll(), "");
  RawClient client(port());
  client.Send(EncodeRelayHeader({.address = "192.0.2.1", .listener = 1, .secret = "secret"}));
  client.Send("GET /api/whoami HTTP/1.1\r\nHost: localhost\r\n\r\n");  // keep-alive
  EXPECT_THAT(client.ReadAll(),
              AllOf(HasSubstr(R"("role":"write")"), HasSubstr("Connection: close")));
}

TEST_F(ServerRelayTest, AWatchIsToldThatTheServerStops) {
  StartWithRelay();
  RawClient watch(port());
  watch.Send(EncodeRelayHeader({.address = "0.0.0.0", .secret = "secret", .is_watch = true}));
  watch.Send(kWhoAmI);  // it has nothing to ask
  {
    RawClient client(port());
    client.Send(kWhoAmI);
    client.ReadAll();
  }
  server_->Stop();
  EXPECT_EQ(watch.ReadAll(), kLeaves);
}

// Without a secret there are no others: the bytes are a line like any other.
TEST_F(ServerRelayTest, AServerAloneKnowsNoRelays) {
  Start();
  RawClient client(port());
  client.Send(EncodeRelayHeader({.address = "10.1.2.3", .secret = ""}) + "\n");
  EXPECT_THAT(client.ReadUntil("\n"), HasSubstr("unknown command"));
}

TEST_F(ServerRelayTest, ServesWhatARelayHandsOn) {
  auto socket = ListenSocket::Open({});
  ASSERT_OK(socket);
  const uint16_t port = socket->port();
  std::vector<ListenSocket> sockets;
  sockets.push_back(*std::move(socket));
  const std::unique_ptr<Relay> relay = Relay::Start(std::move(sockets), {});
  RawClient waiting(port);
  waiting.Send(kWhoAmI);
  while (relay->connections() == 0)
    std::this_thread::yield();
  RelayRest rest = relay->Stop();
  RawClient queued(port);
  queued.Send(kWhoAmI);

  auto started =
      Server::Start(config_, tsdb_.get(),
                    {.sockets = std::move(rest.sockets), .clients = std::move(rest.clients)});
  ASSERT_OK(started);
  server_ = *std::move(started);

  EXPECT_EQ(server_->port(), port);
  EXPECT_THAT(waiting.ReadAll(), HasSubstr("200 OK"));
  EXPECT_THAT(queued.ReadAll(), HasSubstr("200 OK"));
}

}  // namespace
}  // namespace hourcell::server_relay_test
