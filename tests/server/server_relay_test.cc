// Rights of clients whose connections another process relays.

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/cluster/relay.h"
#include "server/cluster/writer_watch.h"
#include "server/net/nodes/host_and_port.h"
#include "server/net/nodes/relay_header.h"
#include "server/net/nodes/relay_proof.h"
#include "tests/server/cluster/relay_fixture.h"
#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"
#include "tests/support/status_matchers.h"

namespace hourcell::server_relay_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kWhoAmI =
    "GET /api/whoami HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

class ServerRelayTest : public RunningServerTest {
 protected:
  void StartWithRelay() {
    auto started = Server::Start(config_, tsdb_.get(), {.relay_keys = keys_});
    ASSERT_OK(started);
    server_ = *std::move(started);
  }

  // Sends the client's address and returns the challenge; empty: the server has closed the
  // connection.
  static std::string Say(RawClient* client, const std::string& header) {
    client->Send(header);
    std::string challenge;
    while (challenge.size() < kRelayChallengeBytes) {
      const std::string more = client->ReadAvailable();
      if (more.empty()) break;
      challenge += more;
    }
    return challenge;
  }

  // The answer to a challenge by a sender that knows `secret`.
  static std::string ProofOf(const std::string& header,
                             const std::string& challenge,
                             const std::string& secret = kSecret) {
    return RelayKeys(secret).Prove(RelaySide::kSender, header,
                                   challenge.substr(0, kRelayNonceBytes));
  }

  // Authenticates as a process that relays a connection.
  static std::string Introduce(RawClient* client, RelayHeader header) {
    header.nonce = NewRelayNonce();
    const std::string text = EncodeRelayHeader(header);
    const std::string challenge = Say(client, text);
    client->Send(ProofOf(text, challenge));
    return challenge;
  }

  std::string WhoAmI(const RelayHeader& header) {
    RawClient client(port());
    Introduce(&client, header);
    client.Send(kWhoAmI);
    return client.ReadAll();
  }

  static inline const std::string kSecret = "0123456789abcdef0123456789abcdef";
  const std::shared_ptr<RelayKeys> keys_ = std::make_shared<RelayKeys>(kSecret);
};

TEST_F(ServerRelayTest, AClientHasTheRightsOfItsListenerAndItsAddress) {
  Set("tsd.network.role", "read");
  Set("tsd.network.listeners", "127.0.0.1:0=write");
  Set("tsd.auth.allow", "10.1.0.0/16=admin");
  StartWithRelay();
  const auto role = [&](const std::string& address, uint8_t listener) {
    return WhoAmI({.address = address, .port = 9, .listener = listener});
  };
  EXPECT_THAT(role("192.0.2.1", 0), HasSubstr(R"("role":"read")"));
  EXPECT_THAT(role("192.0.2.1", 1), HasSubstr(R"("role":"write")"));
  EXPECT_THAT(role("10.1.2.3", 0), HasSubstr(R"("role":"admin")"));
}

// A client without the secret that claims to relay gets neither rights nor a response.
TEST_F(ServerRelayTest, OnlyWhoKnowsTheSecretSpeaksForOthers) {
  StartWithRelay();
  const auto refused = [&](const RelayHeader& header, const std::string& secret) {
    RawClient client(port());
    RelayHeader said = header;
    said.nonce = NewRelayNonce();
    const std::string text = EncodeRelayHeader(said);
    const std::string challenge = Say(&client, text);
    client.Send(ProofOf(text, challenge, secret) + std::string(kWhoAmI));
    return client.ReadAll();
  };
  EXPECT_EQ(refused({.address = "10.1.2.3"}, "secret"), "");
  EXPECT_EQ(refused({.address = "10.1.2.3"}, kSecret.substr(1)), "");
  EXPECT_EQ(refused({.address = "10.1.2.3", .listener = 1}, kSecret), "");
  EXPECT_THAT(refused({.address = "10.1.2.3"}, kSecret), HasSubstr("200 OK"));
}

// A header with another client, port or listener needs another proof.
TEST_F(ServerRelayTest, AProofIsOfOneHeaderOnly) {
  Set("tsd.network.role", "none");
  Set("tsd.network.listeners", "127.0.0.1:0=admin");
  StartWithRelay();
  const RelayHeader header{.address = "192.0.2.1", .port = 9, .nonce = NewRelayNonce()};
  const std::string text = EncodeRelayHeader(header);
  for (size_t i = 12; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= 1;
    if (!ParseRelayHeader(changed).ok() || !ParseRelayHeader(changed)->has_value()) continue;
    RawClient client(port());
    const std::string challenge = Say(&client, changed);
    if (challenge.empty()) continue;
    client.Send(ProofOf(text, challenge) + std::string(kWhoAmI));
    EXPECT_EQ(client.ReadAll(), "") << "byte " << i;
  }
}

// A replay of all bytes of an earlier connection is refused.
TEST_F(ServerRelayTest, AReplayIsRefused) {
  StartWithRelay();
  const std::string header = EncodeRelayHeader({.address = "192.0.2.1", .nonce = NewRelayNonce()});
  RawClient first(port());
  const std::string challenge = Say(&first, header);
  const std::string rest = ProofOf(header, challenge) + std::string(kWhoAmI);
  first.Send(rest);
  EXPECT_THAT(first.ReadAll(), HasSubstr("200 OK"));

  RawClient again(port());
  EXPECT_NE(Say(&again, header), challenge);
  again.Send(rest);
  EXPECT_EQ(again.ReadAll(), "");

  RawClient at_once(port());  // it has sent its proof before it is challenged
  at_once.Send(header + rest);
  EXPECT_THAT(at_once.ReadAll(), Not(HasSubstr("HTTP")));

  RawClient echo(port());  // it echoes its input
  const std::string other = Say(&echo, header);
  echo.Send(other.substr(kRelayNonceBytes) + std::string(kWhoAmI));
  EXPECT_EQ(echo.ReadAll(), "");
}

TEST_F(ServerRelayTest, TheSecretIsNotSent) {
  StartWithRelay();
  auto socket = ListenSocket::Open({});
  ASSERT_OK(socket);
  const uint16_t port_of_relay = socket->port();
  std::vector<ListenSocket> sockets;
  sockets.push_back(*std::move(socket));
  const std::unique_ptr<Relay> relay = Relay::Start(std::move(sockets), {.keys = keys_});
  const ScriptedWriter between;  // reads all that two processes say to each other
  relay->SetWriter(between.address());
  RawClient client(port_of_relay);
  client.Send(kWhoAmI);

  const int fd = between.Accept();
  const std::string header = ReadFrom(fd, RelayHeaderBytes());
  RawClient server(port());
  const std::string challenge = Say(&server, header);
  ASSERT_EQ(send(fd, challenge.data(), challenge.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(challenge.size()));
  const std::string up = ReadFrom(fd, kRelayProofBytes + kWhoAmI.size());
  server.Send(up);
  const std::string down = server.ReadAll();
  close(fd);

  EXPECT_THAT(down, HasSubstr("200 OK"));
  for (const std::string& said : {header, challenge, up, down})
    EXPECT_THAT(said, Not(HasSubstr(kSecret.substr(0, 8))));
}

TEST_F(ServerRelayTest, ASecretIsReplacedWhileTheServerRuns) {
  StartWithRelay();
  keys_->Set("next", {kSecret});
  EXPECT_THAT(WhoAmI({.address = "10.1.2.3"}), HasSubstr("200 OK"));
  keys_->Set("next", {});
  EXPECT_EQ(WhoAmI({.address = "10.1.2.3"}), "");
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
  ServerSite site{.relay_keys = keys_, .serves_relays_only = true};
  site.sockets.push_back(*std::move(socket));
  auto started = Server::Start(config_, tsdb_.get(), std::move(site));
  ASSERT_OK(started);
  server_ = *std::move(started);

  RawClient stranger(port());
  stranger.Send(kWhoAmI);
  EXPECT_EQ(stranger.ReadAll(), "");
  RawClient client(port());
  Introduce(&client, {.address = "192.0.2.1", .listener = 1});
  client.Send("GET /api/whoami HTTP/1.1\r\nHost: localhost\r\n\r\n");  // keep-alive
  EXPECT_THAT(client.ReadAll(),
              AllOf(HasSubstr(R"("role":"write")"), HasSubstr("Connection: close")));
}

TEST_F(ServerRelayTest, AWatchIsToldThatTheServerStops) {
  StartWithRelay();
  RawClient watch(port());
  Introduce(&watch, {.address = "0.0.0.0", .is_watch = true});
  watch.Send(kWhoAmI);  // its queue is empty
  {
    RawClient client(port());
    client.Send(kWhoAmI);
    client.ReadAll();
  }
  server_->Stop();
  EXPECT_EQ(watch.ReadAll(), kLeaves);
}

// Without a secret there are no relays: the bytes are a line like any other.
TEST_F(ServerRelayTest, AServerAloneKnowsNoRelays) {
  Start();
  RawClient client(port());
  client.Send(EncodeRelayHeader({.address = "10.1.2.3", .nonce = NewRelayNonce()}) + "\n");
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
