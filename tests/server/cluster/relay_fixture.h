// A relay in front of a writer that does what a test says.

#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "server/cluster/relay.h"
#include "server/net/nodes/host_and_port.h"
#include "server/net/nodes/relay_header.h"

namespace hourcell {

inline constexpr std::string_view kRelayedRequest = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// A process that writes, as far as a relay sees it.
class ScriptedWriter {
 public:
  ScriptedWriter() : socket_(*ListenSocket::Open({})), port_(socket_.port()) {}

  std::string address() const { return JoinHostAndPort("127.0.0.1", port_); }

  // The next connection. The caller closes it.
  int Accept() const {
    // The descriptor stays the socket's.
    ListenSocket& socket = const_cast<ListenSocket&>(socket_);
    const int listening = socket.Release();
    const int fd = accept(listening, nullptr, nullptr);
    socket = ListenSocket(listening);
    HOURCELL_CHECK(fd >= 0);
    return fd;
  }

 private:
  ListenSocket socket_;
  uint16_t port_;
};

inline std::string ReadFrom(int fd, size_t bytes) {
  std::string text;
  char buffer[4096];
  while (text.size() < bytes) {
    const ssize_t size = read(fd, buffer, std::min(sizeof buffer, bytes - text.size()));
    if (size <= 0) break;
    text.append(buffer, static_cast<size_t>(size));
  }
  return text;
}

inline constexpr std::string_view kTestSecret = "the secret of the store";

inline size_t RelayHeaderBytes() {
  return EncodeRelayHeader({.address = "127.0.0.1", .nonce = std::string(kRelayNonceBytes, 'n')})
      .size();
}

// The acceptor's side, up to the client's first byte. Returns all bytes that it read.
inline std::string AcceptRelay(int fd, std::string_view secret = kTestSecret) {
  const std::string header = ReadFrom(fd, RelayHeaderBytes());
  const std::string nonce = NewRelayNonce();
  const RelayKeys keys{std::string(secret)};
  const std::string challenge = nonce + keys.Prove(RelaySide::kAcceptor, header, nonce);
  if (send(fd, challenge.data(), challenge.size(), MSG_NOSIGNAL) < 0) return header;
  const std::string proof = ReadFrom(fd, kRelayProofBytes);
  EXPECT_TRUE(secret != kTestSecret || keys.Proves(RelaySide::kSender, header, nonce, proof));
  return header + proof;
}

// Of the next connection of a writer, after it.
inline int AcceptProved(const ScriptedWriter& writer) {
  const int fd = writer.Accept();
  AcceptRelay(fd);
  return fd;
}

class RelayFixture : public testing::Test {
 protected:
  RelayFixture() {
    auto socket = ListenSocket::Open({});
    HOURCELL_CHECK(socket.ok());
    port_ = socket->port();
    std::vector<ListenSocket> sockets;
    sockets.push_back(*std::move(socket));
    relay_ = Relay::Start(std::move(sockets),
                          {.own_address = JoinHostAndPort("127.0.0.1", port_),
                           .keys = std::make_shared<RelayKeys>(std::string(kTestSecret))});
  }

  uint16_t port_ = 0;
  std::unique_ptr<Relay> relay_;
};

}  // namespace hourcell
