// A blocking client that speaks inside of TLS, for tests of the server: a RawClient with a TlsPeer.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "tests/server/net/tls_peer.h"
#include "tests/server/raw_client.h"

namespace hourcell {

class TlsClient {
 public:
  // Connects, and is through with the handshake.
  explicit TlsClient(uint16_t port) : client_(port) {
    client_.Send(peer_.Take(""));
    while (!peer_.is_established()) {
      const std::string got = client_.ReadAvailable();
      HOURCELL_CHECK(!got.empty());
      client_.Send(peer_.Take(got));
    }
  }

  void Send(std::string_view plain) { client_.Send(peer_.Send(plain)); }

  // All bytes from the server so far; waits for the first byte or the close.
  const std::string& ReadAvailable() {
    while (peer_.received().empty() && ReadSome()) {
    }
    return peer_.received();
  }
  // All that it said once it finished the session.
  const std::string& ReadAll() {
    while (!peer_.server_finished() && ReadSome()) {
    }
    return peer_.received();
  }

 private:
  // False if the server closed.
  bool ReadSome() {
    const std::string got = client_.ReadAvailable();
    if (!got.empty()) peer_.Take(got);
    return !got.empty();
  }

  RawClient client_;
  TlsPeer peer_;
};

}  // namespace hourcell
